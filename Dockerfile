# The image of Chandlery and of its sample operators: Node, the programs helm and kubectl, and this repository. Built without the embedded cluster, which
# it does not need in a cluster.

FROM docker.io/library/golang:1.26 AS helm
WORKDIR /tools
COPY tools/ ./
RUN version="$(go list -m -f '{{.Version}}' helm.sh/helm/v4)" \
  && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X helm.sh/helm/v4/internal/version.version=$version" -o /out/helm helm.sh/helm/v4/cmd/helm \
  && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/kubectl k8s.io/kubernetes/cmd/kubectl

FROM docker.io/library/node:24-slim
# For the repositories of CatalogSources, by https and ssh.
RUN apt-get update && apt-get install --yes --no-install-recommends git openssh-client ca-certificates && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
# As bin/node-env.json has it, and why: bin/run-main.mjs.
ENV MALLOC_ARENA_MAX=2
ENV MALLOC_MMAP_THRESHOLD_=131072
WORKDIR /app
# kubectl renders the kustomizations of CatalogSources.
COPY --from=helm /out/helm /out/kubectl /usr/local/bin/
COPY package.json package-lock.json ./
# No package runs a script of its own as root, and the Node of the base image makes the locked one needless.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY bin/ bin/
COPY tools/ tools/
# What is in the image (CycloneDX): npm packages, Node, helm, kubectl, and the Debian packages, such as git.
RUN npm run --silent sbom > sbom.cdx.json
# Writes down where helm is.
RUN node bin/setup.mjs --context
COPY src/ src/
COPY views/ views/
COPY charts/ charts/
USER 1000:1000
EXPOSE 8080
# As bin/node-flags.json has them, and why: bin/run-main.mjs.
ENTRYPOINT ["node", "--disable-proto=delete", "--max-semi-space-size=8", "--heap-growing-percent=50", "--expose-gc", "src/main.ts"]
CMD ["serve"]
