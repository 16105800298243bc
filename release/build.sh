#!/usr/bin/env bash
# release/build.sh VERSION [FOLDER [OS/ARCH...]] builds a release into FOLDER (default dist): archives, Python wheels, .deb
# and .rpm, an image, a formula of Homebrew, the page docs/play and an SBOM, with SHA256SUMS. It tries the archives that run on this machine: its own, and
# Linux on arm64 where qemu-aarch64 is installed. Same commit, Go and version: same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=${1:?usage: release/build.sh VERSION [FOLDER [OS/ARCH...]]}
mkdir -p "${2:-dist}"
out=$(cd "${2:-dist}" && pwd)
shift $(($# < 2 ? $# : 2))
targets=("$@")
if [[ ${#targets[@]} == 0 ]]; then
	targets=({linux,darwin,windows}/{amd64,arm64})
fi
commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
seconds=$(git log -1 --format=%ct 2>/dev/null || echo 0)
if [[ -n $(git status --porcelain 2>/dev/null | head -n 1) ]]; then commit+=+; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# pack FOLDER ARCHIVE writes an archive that does not depend on when and by whom it is made.
pack() {
	find "$work/$1" -exec touch -d @0 {} +
	case $2 in
	*.zip) (cd "$work" && find "$1" -type f | LC_ALL=C sort | TZ=UTC zip -qX "$2" -@) ;;
	*) tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$1" | gzip -9n >"$2" ;;
	esac
}

# build OS ARCH makes one archive.
build() {
	local name=bloom-$version-$1-$2 binary=bloom archive
	archive=$out/$name.tar.gz
	if [[ $1 == windows ]]; then
		binary=bloom.exe archive=$out/$name.zip
	fi
	mkdir -p "$work/$name"
	CGO_ENABLED=0 GOOS=$1 GOARCH=$2 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X main.release=$version -X main.commit=$commit" \
		-o "$work/$name/$binary" ./cmd/bloom
	cp LICENSE NOTICE README.md CHANGELOG.md release/Dockerfile "$work/$name/"
	rm -f "$archive"
	pack "$name" "$archive"
	echo "$archive"
	programs+=("$1/$2=$work/$name/$binary")
}

# rpm ARCH PROGRAM makes a package of Fedora, SUSE and the like.
rpm() {
	local stage=$work/rpm-$1 name=$out/bloom-$version-linux-$1.rpm
	install -Dm755 "$2" "$stage/usr/bin/bloom"
	install -Dm644 LICENSE "$stage/usr/share/doc/bloom/copyright"
	install -Dm644 -t "$stage/usr/share/doc/bloom" NOTICE README.md
	"$work/rpm" "$version" "$1" "$stage" "$name"
	echo "$name" | tee -a "$work/written"
}

# try NAME [EMULATOR] unpacks an archive and trains, predicts and shows its version with what is in it.
try() {
	local here=$work/try
	mkdir -p "$here"
	tar -C "$here" -xzf "$out/$1.tar.gz"
	(
		cd "$here/$1"
		shift
		"$@" ./bloom version | grep -qF "$version"
		"$@" ./bloom version | grep -qF "$commit"
		"$@" ./bloom train --data karate --recipe base --set train.epochs=5 --out run >/dev/null 2>&1
		[[ $("$@" ./bloom predict run 2>/dev/null | wc -l) -gt 30 ]]
	)
	echo "$1 runs${2:+ under $2}"
}

go build -o "$work/release" ./release
go -C release/rpm build -o "$work/rpm" .
rm -f "$out/bloom.rb"
programs=()
for target in "${targets[@]}"; do
	build "${target%/*}" "${target#*/}"
done
page=bloom-$version-play
mkdir "$work/$page"
"$work/release" play "$work/$page"
pack "$page" "$out/$page.tar.gz"
"$work/release" packages "$version" "$commit" "$out" "${programs[@]}" | tee -a "$work/written"
for program in "${programs[@]}"; do
	if [[ $program == linux/* ]]; then
		target=${program%%=*}
		rpm "${target#*/}" "${program#*=}"
	fi
done
"$work/release" sbom "$version" "$commit" "$seconds" >"$out/bloom-$version.spdx.json"
(cd "$out" && { xargs -n 1 basename <"$work/written" && printf '%s\n' bloom-"$version"-*.tar.gz bloom-"$version"-*.zip bloom-"$version".spdx.json; } |
	sort -u | while read -r name; do if [[ -f $name ]]; then sha256sum "$name"; fi; done >SHA256SUMS)
here=bloom-$version-$(go env GOHOSTOS)-$(go env GOHOSTARCH)
arm=bloom-$version-linux-arm64
if [[ -f $out/$here.tar.gz ]]; then try "$here"; fi
if [[ $arm != "$here" && -f $out/$arm.tar.gz ]] && command -v qemu-aarch64 >/dev/null; then try "$arm" qemu-aarch64; fi
