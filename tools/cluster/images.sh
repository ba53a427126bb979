# shellcheck shell=bash
# Images on the nodes. There is no registry: an image is an archive that was built on this
# machine and is imported into every node's containerd. Only tests of a release start a registry.

# load_images ARCHIVE... imports OCI or Docker archives (tar files) into every node. Pods that
# use them need an image pull policy other than Always.
load_images() {
  local archive number
  (($# > 0)) || die "usage: cluster.sh load-images FILE..."
  for archive in "$@"; do
    [[ -f "$archive" ]] || die "image archive $archive does not exist; build the images first"
    for number in $(node_numbers); do
      say "loading $(basename "$archive") into $(node_name "$number")"
      runtime "$number" images import "$archive" >>"$LOGS/images.log" 2>&1 ||
        die "$(node_name "$number") can't import $archive; see $LOGS/images.log"
    done
  done
}

# allow_registry ADDRESS lets the nodes pull from a registry without TLS. containerd reads this at each pull.
allow_registry() {
  local number folder
  for number in $(node_numbers); do
    folder="$(node_registries "$number")/${1:?usage: cluster.sh allow-registry ADDRESS}"
    mkdir -p "$folder"
    printf 'server = "http://%s"\n\n[host."http://%s"]\n  capabilities = ["pull", "resolve"]\n' "$1" "$1" >"$folder/hosts.toml"
  done
}

# forget_registry ADDRESS takes that back, and removes the images that were pulled from there.
forget_registry() {
  local number images
  for number in $(node_numbers); do
    rm -rf "$(node_registries "$number")/${1:?usage: cluster.sh forget-registry ADDRESS}"
    mapfile -t images < <(images_from "$number" "$1")
    ((${#images[@]} == 0)) || runtime "$number" images remove "${images[@]}" >>"$LOGS/images.log" 2>&1
  done
}

# images_from NUMBER ADDRESS prints the names of a registry's images on a node. Kubernetes' plugin of
# containerd gives each image a second name, its ID.
images_from() {
  runtime "$1" images list | awk -v registry="$2/" '
    { digests[$1] = $3 }
    index($1, registry) == 1 { pulled[$3] }
    END { for (name in digests) if (digests[name] in pulled) print name }
  '
}

# import_pause NUMBER imports the pause image into a node, unless it has it.
import_pause() {
  [[ -z "$(runtime "$1" images list --quiet "name==$PAUSE_IMAGE")" ]] || return 0
  [[ -f "$STATE/pause.tar" ]] || pause_archive "$STATE/pause.tar"
  runtime "$1" images import "$STATE/pause.tar" >>"$LOGS/images.log" 2>&1
}

# pause_archive FILE writes the pause image. It is built from four small files in a tar, so
# that a cluster needs no image builder.
pause_archive() {
  local folder architecture layer
  folder="$(mktemp -d)"
  architecture="$(cd "$CLUSTER_FOLDER" && go env GOARCH)"
  tar --create --file="$folder/layer.tar" --owner=0 --group=0 --directory="$PAUSE_BIN" pause
  layer="$(sha256sum "$folder/layer.tar" | cut -d' ' -f1)"
  cat >"$folder/config.json" <<JSON
{
  "architecture": "$architecture",
  "os": "linux",
  "config": {"User": "65535:65535", "Entrypoint": ["/pause"]},
  "rootfs": {"type": "layers", "diff_ids": ["sha256:$layer"]}
}
JSON
  cat >"$folder/manifest.json" <<JSON
[{"Config": "config.json", "RepoTags": ["$PAUSE_IMAGE"], "Layers": ["layer.tar"]}]
JSON
  tar --create --file="$1.partial" --directory="$folder" manifest.json config.json layer.tar
  mv "$1.partial" "$1"
  rm -rf "$folder"
}
