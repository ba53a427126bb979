# A node of kind's clusters, made like kind's own images/base: its files and its services, but
# Debian's runc. The build context is dist/kind/node; see node.sh.

FROM scratch
ADD debian.tar /
COPY files /

# The same services as in kind's image. Everything else that Debian starts needs real hardware.
RUN find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete \
    && rm -f /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/* \
      /lib/systemd/system/local-fs.target.wants/* /lib/systemd/system/basic.target.wants/* \
      /lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl* \
    && echo ReadKMsg=no >>/etc/systemd/journald.conf \
    && systemctl enable kubelet.service containerd.service undo-mount-hacks.service \
    && systemctl mask systemd-binfmt.service \
    && mkdir -p /etc/kubernetes/manifests

# The specification of containers that containerd starts from: kind hides the machine's name.
RUN ctr oci spec \
    | jq '.hooks.createContainer[.hooks.createContainer | length] |= . + {"path": "/kind/bin/mount-product-files.sh"} | del(.process.rlimits)' \
      >/etc/containerd/cri-base.json

ENV container=docker
STOPSIGNAL SIGRTMIN+3
ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]
