import * as Result from "effect/Result"
import { decodeServerConfig } from "@tocsin/server/config/ServerConfig"
import { productVersion as version } from "@tocsin/api"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { interpolate, read, readEnvironment, readYaml, root } from "./Files.ts"

interface Service {
  readonly image?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly env_file?: ReadonlyArray<{ readonly path: string; readonly required: boolean }>
  readonly ports?: ReadonlyArray<string>
  readonly profiles?: ReadonlyArray<string>
  readonly volumes?: ReadonlyArray<string>
  readonly networks?: ReadonlyArray<string> | Readonly<Record<string, unknown>>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
}

describe("the Dockerfile", () => {
  const dockerfile = read("Dockerfile")

  it("copies the manifest of each workspace before it installs the dependencies", () => {
    const workspaces = ["apps", "packages"].flatMap((group) =>
      readdirSync(join(root, group)).map((name) => `${group}/${name}`),
    )
    const [before = ""] = dockerfile.split("RUN npm ci")
    for (const workspace of [...workspaces, "examples", "test"])
      expect(before).toContain(`COPY ${workspace}/package.json ${workspace}/`)
  })

  it("names its base images by digest, so that a build always has the same", () => {
    const images = [...dockerfile.matchAll(/^ARG (?:BUILD|RUNTIME)_IMAGE=(.*)$/gm)].map(([, image]) => image)
    expect(images).toHaveLength(2)
    for (const image of images)
      expect(image).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/)
    for (const [, image] of dockerfile.matchAll(/^FROM (\S+)/gm))
      expect(image).toMatch(/^\$\{(?:BUILD|RUNTIME)_IMAGE\}$/)
  })

  it("has images of others by digest beside it; Citus gets one from Renovate", () => {
    const images = ["compose.yaml", "compose.citus.yaml"].flatMap((file) =>
      Object.values(readYaml<Compose>(file).services).flatMap(({ image }) => image ?? []),
    )
    const { image } = JSON.parse(read(".devcontainer/devcontainer.json")) as Service
    const without = [...images, image ?? ""].filter((each) => !/:[\w.-]+@sha256:[0-9a-f]{64}$/.test(each))
    expect(new Set(without.filter((each) => !each.startsWith("tocsin:")))).toEqual(
      new Set(["citusdata/citus:13.0"]),
    )
    const { extends: presets } = JSON.parse(read("renovate.json")) as { readonly extends: unknown }
    expect(presets).toContain("docker:pinDigests")
  })

  it("has the version of the server, as the chart and compose.yaml have", () => {
    expect(/^ARG VERSION=(.*)$/m.exec(dockerfile)?.[1]).toBe(version)
    expect(readYaml<{ readonly appVersion: string }>("deploy/helm/tocsin/Chart.yaml").appVersion).toBe(
      version,
    )
    expect(readYaml<Compose>("compose.yaml").services["tocsin"]?.image).toBe(
      `tocsin:\${TOCSIN_VERSION:-${version}}`,
    )
  })
})

describe("compose.yaml", () => {
  const { services } = readYaml<Compose>("compose.yaml")
  const tocsin = services["tocsin"]

  /** The secrets that deploy/compose/env.sh writes. */
  const writeSecrets = (): Readonly<Record<string, string>> => {
    const folder = mkdtempSync(join(tmpdir(), "tocsin-env-"))
    try {
      const run = () => execFileSync(join(root, "deploy/compose/env.sh"), { cwd: folder, stdio: "pipe" })
      run()
      const file = join(folder, ".env")
      const text = readFileSync(file, "utf8")
      expect(statSync(file).mode & 0o077).toBe(0)
      // Secrets that are in use are not replaced.
      expect(run).toThrow(/already exists/)
      expect(readFileSync(file, "utf8")).toBe(text)
      return readEnvironment(text)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  it("configures the server with what deploy/compose/env.sh generates", () => {
    const secrets = writeSecrets()
    const environment = Object.entries(tocsin?.environment ?? {}).map(
      ([name, value]) => [name, interpolate(String(value), secrets)] as const,
    )
    const config = decodeServerConfig(Object.fromEntries(environment))
    if (Result.isFailure(config)) throw config.failure
    expect(config.success.store.kind).toBe("postgres")
    expect(config.success.bootstrapCredentials).toMatchObject([
      { organization: "default", clientId: "admin" },
    ])
    expect(environment.map(([name]) => name)).toEqual(
      expect.arrayContaining(["TOCSIN_ORGANIZATION", "TOCSIN_CLIENT_ID", "TOCSIN_CLIENT_SECRET"]),
    )
  })

  it("does not start without secrets, and contains none", () => {
    const template = tocsin?.environment ?? {}
    for (const name of ["DATABASE_URL", "TOCSIN_MASTER_KEY", "TOCSIN_BOOTSTRAP_CREDENTIALS"])
      expect(() => interpolate(template[name] ?? "", {})).toThrow("env.sh")
  })

  it("reads further variables from a file that is neither required nor part of the repository", () => {
    expect(tocsin?.env_file).toEqual([{ path: "tocsin.env", required: false }])
    expect(read(".gitignore").split("\n")).toContain("tocsin.env")
  })

  it("publishes ports on loopback only", () => {
    const ports = Object.values(services).flatMap(({ ports = [] }) => ports)
    expect(ports.length).toBeGreaterThan(3)
    for (const port of ports) expect(interpolate(port, {})).toMatch(/^127\.0\.0\.1:/)
  })

  it("lets the server connect to the Prometheus beside it, and to no other private address", () => {
    const networks = services["prometheus"]?.networks as {
      readonly monitoring: { readonly ipv4_address: string }
    }
    expect(interpolate(tocsin?.environment?.["TOCSIN_EGRESS_ALLOW_CIDRS"] ?? "", {})).toBe(
      `${networks.monitoring.ipv4_address}/32`,
    )
  })

  it("mounts files that exist", () => {
    const sources = Object.values(services)
      .flatMap(({ volumes = [] }) => volumes)
      .flatMap((volume) => /^\.\/([^:]+):/.exec(volume)?.slice(1) ?? [])
    expect(sources.length).toBeGreaterThan(3)
    for (const source of sources) expect(readdirSync(join(root, source))).not.toEqual([])
  })
})

describe("the environment file of the systemd unit", () => {
  it("configures the server once it has a master key", () => {
    const example = readEnvironment(read("deploy/systemd/tocsin.env.example"))
    expect(example["TOCSIN_MASTER_KEY"]).toBe("")
    const config = decodeServerConfig({
      ...example,
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    })
    if (Result.isFailure(config)) throw config.failure
    expect(config.success.host).toBe("127.0.0.1")
  })
})

describe("the stopping time", () => {
  it("is longer than the server takes, in each supervisor", () => {
    const serverSeconds = 5 + 20 + 20
    const seconds = [
      Number(/^TimeoutStopSec=(\d+)s$/m.exec(read("deploy/systemd/tocsin.service"))?.[1]),
      Number(/^ {4}stop_grace_period: (\d+)s$/m.exec(read("compose.yaml"))?.[1]),
    ]
    for (const each of seconds) expect(each).toBeGreaterThan(serverSeconds)
  })
})
