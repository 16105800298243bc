package play
