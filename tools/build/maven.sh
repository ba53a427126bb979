#!/usr/bin/env bash
# Sourced by scripts that build Java programs, after messages.sh and packages.sh.

# maven_package SOURCE NAME copies a Maven project to dist/maven/NAME, because Maven writes beside
# the sources, and builds it there. Libraries come from Maven's default repository. It installs
# Maven and a JDK if they are missing.
maven_package() {
  local base
  base=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/dist/maven
  need javac openjdk-17-jdk-headless
  need mvn maven
  rm -rf "${base:?}/$2"
  mkdir -p "$base/$2"
  cp -r "$1/pom.xml" "$1/src" "$base/$2"
  (cd "$base/$2" && mvn --quiet --batch-mode "-Dmaven.repo.local=$base/repository" package >&2) ||
    die "Maven did not build $2; see its output above. The first time it downloads from Maven Central"
}
