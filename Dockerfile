# The command of a release, with git; .goreleaser.yaml says for which platforms.
FROM debian:stable-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/planlock /usr/local/bin/planlock
WORKDIR /work
CMD ["planlock", "help"]
