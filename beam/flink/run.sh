#!/usr/bin/env bash
# Starts a job server of Beam with a Flink inside it, until it is interrupted. Needs Java 11 or 17, and Maven for the jars,
# which are kept in a folder: bin/flink of the repository, or the second argument.
#
#     beam/flink/run.sh 8099
#     bloom-beam propagate parts --recipe base --out job --runner flink --endpoint HOST:8099 \
#         --environment_type PROCESS --environment_config '{"command":"/usr/local/bin/bloom-beam"}'
#
# With --environment_type LOOPBACK the command that was typed is the worker. Flink's settings are in config.yaml.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
port=${1:-8099}
folder=${2:-$here/../../bin/flink}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

if [[ ! -e $folder/complete ]]; then
	mvn --batch-mode --quiet --file "$here/pom.xml" dependency:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory="$folder/jars"
	touch "$folder/complete"
fi

exec java -Xmx2g -cp "$folder/jars/*" org.apache.beam.runners.flink.FlinkJobServerDriver \
	--job-host localhost --job-port "$port" --artifact-port 0 --expansion-port 0 \
	--artifacts-dir "$folder/staged" --flink-master '[local]' --flink-conf-dir "$here"
