# Three images from one file. Each only copies what was compiled before, so it
# builds with docker and with buildah, anywhere, with no base image to pull.
# /licenses has the licences of everything in the image.
# The build context is dist/linux-<architecture>; see hack/images.sh.

FROM scratch AS operator
LABEL org.opencontainers.image.title="Hashmark operator" \
  org.opencontainers.image.description="Measures which login rate a login service can serve, and recommends a size" \
  org.opencontainers.image.source="https://github.com/hashmark-dev/hashmark" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY operator /operator
COPY licenses/operator /licenses
USER 65532:65532
ENTRYPOINT ["/operator"]

FROM scratch AS loginservice
LABEL org.opencontainers.image.title="Hashmark login service" \
  org.opencontainers.image.description="The login service that Hashmark measures" \
  org.opencontainers.image.source="https://github.com/hashmark-dev/hashmark" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY loginservice /loginservice
COPY licenses/loginservice /licenses
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/loginservice"]

FROM scratch AS generator
LABEL org.opencontainers.image.title="Hashmark load generator" \
  org.opencontainers.image.description="Drives a login service with k6" \
  org.opencontainers.image.source="https://github.com/hashmark-dev/hashmark" \
  org.opencontainers.image.licenses="Apache-2.0"
COPY loadrunner /loadrunner
COPY k6 /usr/local/bin/k6
COPY licenses/loadrunner /licenses
COPY licenses/k6 /licenses/k6
ENV HASHMARK_K6=/usr/local/bin/k6
USER 65532:65532
ENTRYPOINT ["/loadrunner"]
