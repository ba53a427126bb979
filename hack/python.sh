# shellcheck shell=bash
# Programs in Python that some scripts need. It is sourced after messages.sh.

# python_environment NAME REQUIREMENTS prints the folder of a virtual environment in the cache, with the
# versions and checksums of the file. It is created if it does not exist.
python_environment() {
  local folder
  folder=$CACHE/$1-$(sha256sum "$2" | cut -c1-12)
  if [[ ! -d $folder ]]; then
    mkdir -p "$CACHE"
    rm -rf "$folder.partial"
    python3 -m venv "$folder.partial" >&2 || die "can't create a virtual environment; on Debian, run apt-get install python3-venv"
    "$folder.partial/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2" >&2
    mv "$folder.partial" "$folder"
  fi
  # Scripts of a virtual environment name the folder that it was created in, so that only python runs.
  printf '%s\n' "$folder"
}
