#!/usr/bin/env bash
# build.sh FOLDER compiles the application into FOLDER/app, with the libraries beside its archive,
# unless it is there already. The libraries come from Maven's default repository, and are kept in
# dist/maven.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
shopt -s inherit_errexit
folder=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"
source ../../hack/build/messages.sh
maven=../../dist/maven

# The folder of Debian's Java has the name of the architecture. The experiments must not.
mkdir -p "$folder/usr/bin"
(cd "$folder/usr/bin" && ln -sf ../lib/jvm/java-17-openjdk-*/bin/java java)

seal=$(find pom.xml src -type f | LC_ALL=C sort | xargs -d '\n' sha256sum | sha256sum | cut -d' ' -f1)
[[ ! -f $folder/app/login.jar || $(cat "$folder.app.seal" 2>/dev/null) != "$seal" ]] || exit 0

if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then
  if [[ $EUID -ne 0 ]] || ! command -v apt-get >/dev/null; then
    die "mvn or javac was not found; install Maven and a JDK 17 (on Debian: apt-get install maven openjdk-17-jdk-headless)"
  fi
  say "installing maven and openjdk-17-jdk-headless"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends maven openjdk-17-jdk-headless >/dev/null
fi
# Maven writes beside the sources, so it gets a copy.
rm -rf "$maven/spring-boot"
mkdir -p "$maven/spring-boot"
cp -r pom.xml src "$maven/spring-boot"
maven=$(cd "$maven" && pwd)
cd "$maven/spring-boot"
mvn --quiet --batch-mode "-Dmaven.repo.local=$maven/repository" package >&2 ||
  die "Maven did not build examples/spring-boot; see its output above. The first time it downloads from Maven Central"
# A JVM starts faster from separate archives than from archives within an archive.
java -Djarmode=tools -jar target/login.jar extract --force --destination "$folder/app" >&2
echo "$seal" >"$folder.app.seal"
