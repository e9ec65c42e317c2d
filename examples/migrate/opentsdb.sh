#!/usr/bin/env bash
# Copies what `tsdb scan --import` of OpenTSDB prints, from standard input: lines of metric, time, value and tags.
#   tsdb scan --import 1970/01/01-00:00:00 sum sys.load | bash opentsdb.sh http://localhost:6041 USER:PASSWORD DATABASE
set -euo pipefail
address=$1 login=$2 database=$3
curl --fail --silent --show-error -u "$login" "$address/rest/sql" -d "CREATE DATABASE IF NOT EXISTS \`$database\`" >/dev/null
export login url="$address/tsdbwire/v1/put/telnet/$database"
# shellcheck disable=SC2016
split --lines=10000 --filter='
  curl --fail-with-body --silent --show-error --retry 10 -u "$login" --data-binary @- "$url"' -
