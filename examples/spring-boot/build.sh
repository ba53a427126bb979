#!/usr/bin/env bash
# build.sh FOLDER compiles the application into FOLDER/app, with the libraries beside its archive,
# unless it is there already.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../tools/build/messages.sh
source ../../hack/packages.sh
source ../../tools/build/maven.sh

# The folder of Debian's Java has the name of the architecture. The experiments must not.
mkdir -p "$folder/usr/bin"
(cd "$folder/usr/bin" && ln -sf ../lib/jvm/java-17-openjdk-*/bin/java java)

seal=$(find pom.xml src -type f | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum | cut -d' ' -f1)
[[ ! -f $folder/app/login.jar || $(cat "$folder.app.seal" 2>/dev/null) != "$seal" ]] || exit 0

maven_package . spring-boot
cd ../../dist/maven/spring-boot
# A JVM starts faster from separate archives than from archives within an archive.
java -Djarmode=tools -jar target/login.jar extract --force --destination "$folder/app" >&2
echo "$seal" >"$folder.app.seal"
