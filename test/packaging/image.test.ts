import { decodeServerConfig } from "@tocsin/server/config/ServerConfig"
import { productVersion as version } from "@tocsin/api"
import * as Result from "effect/Result"
import { copyFileSync, cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Server } from "node:net"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { urlOf } from "../crash/CrashDatabase.ts"
import { root } from "../deploy/Files.ts"
import { withSlo } from "../e2e/definitions.ts"
import { freePort } from "../FreePort.ts"
import { newDatabase } from "../pg/TestDatabase.ts"
import { editorOf, environmentOf } from "../server/organizations.ts"
import { folder, run, startInNamespaces } from "./Tools.ts"

/** Of buildah (Debian: `apt-get install buildah`), run by root, with its own storage. */
const buildah = (...args: ReadonlyArray<string>) =>
  run("buildah", [
    "--root",
    join(folder, "storage"),
    "--runroot",
    join(folder, "run"),
    "--storage-driver",
    "vfs",
    ...args,
  ])

/** Copies programs of this machine, and the libraries that they load, into the root directory of an image. */
const copyPrograms = async (directory: string, programs: ReadonlyArray<string>): Promise<void> => {
  for (const name of ["bin", "usr/bin", "tmp", "etc", "proc", "dev"])
    mkdirSync(join(directory, name), { recursive: true })
  for (const program of programs) {
    const file = realpathSync((await run("sh", ["-c", `command -v ${program}`])).trim())
    copyFileSync(file, join(directory, "usr/bin", program))
    const libraries = [...(await run("ldd", [file])).matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path)
    for (const library of libraries) {
      mkdirSync(join(directory, dirname(library)), { recursive: true })
      copyFileSync(library, join(directory, library))
    }
  }
}

/** An image that has nothing but the files of a directory. */
const imageOf = async (name: string, directory: string, settings: ReadonlyArray<string> = []) => {
  const container = (await buildah("from", "scratch")).trim()
  await buildah("copy", "--quiet", container, directory, "/")
  await buildah("config", "--env", "PATH=/usr/local/bin:/usr/bin:/bin", ...settings, container)
  await buildah("commit", "--quiet", container, name)
}

/** In place of the images with Node.js, which come from a registry: the runtime has Node.js and `env` alone. */
const buildImage = async (): Promise<string> => {
  const runtime = join(folder, "runtime")
  await copyPrograms(runtime, ["node", "env"])
  await imageOf("localhost/runtime", runtime)

  const build = join(folder, "build")
  await copyPrograms(build, ["node", "env", "sh", "cp", "mkdir", "ln"])
  symlinkSync("../usr/bin/sh", join(build, "bin/sh"))
  const npm = realpathSync((await run("sh", ["-c", "command -v npm"])).trim())
  cpSync(join(dirname(npm), ".."), join(build, "usr/lib/node_modules/npm"), { recursive: true })
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(build, "usr/bin/npm"))
  // Loaded by the bundler of the console.
  const [librt = ""] = /\S*librt\.so\.1$/m.exec(await run("ldconfig", ["-p"])) ?? []
  const libraries = join(build, dirname(librt))
  mkdirSync(libraries, { recursive: true })
  copyFileSync(realpathSync(librt), join(build, librt))
  const setting = async (name: string) => (await run("npm", ["config", "get", name])).trim()
  const settings = ["--env", `npm_config_registry=${await setting("registry")}`]
  const authorities = await setting("cafile")
  if (authorities !== "null") {
    copyFileSync(authorities, join(build, "etc/authorities.pem"))
    settings.push("--env", "npm_config_cafile=/etc/authorities.pem")
  }
  await imageOf("localhost/build", build, settings)

  const args = ["BUILD_IMAGE=localhost/build", "RUNTIME_IMAGE=localhost/runtime", "REVISION=4f2a"]
  await buildah(
    "build",
    "--isolation=chroot",
    "--format=docker",
    "--pull-never",
    ...args.flatMap((arg) => ["--build-arg", arg]),
    "--tag=localhost/tocsin",
    root,
  )
  return "localhost/tocsin"
}

interface ImageConfig {
  readonly User: string
  readonly Env: ReadonlyArray<string>
  readonly Entrypoint: ReadonlyArray<string>
  readonly Cmd: ReadonlyArray<string>
  readonly Labels: Readonly<Record<string, string>>
  readonly StopSignal: string
  readonly Healthcheck: { readonly Test: ReadonlyArray<string> }
}

let config: ImageConfig
/** The mounted file system of the image. */
let image: string

const database = await newDatabase("empty")

beforeAll(async () => {
  const name = await buildImage()
  const inspected = JSON.parse(await buildah("inspect", "--type", "image", name)) as {
    readonly Docker: { readonly config: ImageConfig }
  }
  config = inspected.Docker.config
  image = (await buildah("mount", (await buildah("from", "--pull-never", name)).trim())).trim()
}, 900_000)

afterAll(() => buildah("rm", "--all"))

const environmentOfImage = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    config.Env.map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
  )

/**
 * Runs a program of the image as a container runtime does with a read-only root file system: as the user of the image,
 * as process 1, with its own mounts and a `/tmp` in memory.
 */
const start = (command: ReadonlyArray<string>, environment: Readonly<Record<string, string>> = {}) => {
  const script = [
    `mount --bind '${image}' '${image}'`,
    `mount -o remount,bind,ro,nosuid,nodev '${image}'`,
    `mount -t proc proc '${image}/proc'`,
    `mount -t tmpfs -o size=16m,mode=1777 tmpfs '${image}/tmp'`,
    `exec chroot --userspec='${config.User}' '${image}' "$@"`,
  ].join("\n")
  return startInNamespaces(script, command, { ...environmentOfImage(), ...environment })
}

const runToEnd = async (
  command: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
) => {
  const container = start(command, environment)
  return { code: await container.ended, printed: container.printed() }
}

/** The URL of the database over TCP: the socket of an embedded one is only for the user who started it. */
const databaseUrl = async (): Promise<string> => {
  if ("url" in database) return urlOf(database)
  const { socketDirectory, port, user, database: name } = database
  const proxy = createServer((client) => {
    const server = connect(join(socketDirectory, `.s.PGSQL.${port}`))
    client.pipe(server).pipe(client)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("error", () => other.destroy())
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return `postgres://${user}@127.0.0.1:${(proxy.address() as AddressInfo).port}/${name}`
}

const proxies: Array<Server> = []
afterAll(() => {
  for (const proxy of proxies) proxy.close()
})

describe("the image", () => {
  it("has labels, a user without rights, and a signal that stops the server in order", () => {
    expect(config).toMatchObject({ User: "10001:10001", StopSignal: "SIGTERM" })
    expect(config.Labels).toMatchObject({
      "org.opencontainers.image.title": "Tocsin",
      "org.opencontainers.image.version": version,
      "org.opencontainers.image.revision": "4f2a",
      "org.opencontainers.image.licenses": "MIT",
    })
  })

  it("has the server, its licenses, the console and the documentation, and nothing of the sources", async () => {
    const files = (await run("find", [join(image, "opt"), "-type", "f", "-printf", "%P\n"]))
      .trim()
      .split("\n")
    const others = files.filter((file) => !/^tocsin\/(console|help|lib)\//.test(file))
    expect(others.toSorted()).toEqual(["tocsin/LICENSE", "tocsin/tocsin.mjs"])
    expect(files).toContain("tocsin/console/index.html")
    expect(files).toContain("tocsin/help/index.html")
    expect(files.some((file) => /^tocsin\/lib\/.*\.LEGAL\.txt$/.test(file))).toBe(true)
    expect(files.filter((file) => /^tocsin\/lib\/program-\w+\.cjs\.cache$/.test(file))).toHaveLength(1)
    // Nobody but root can change them.
    expect(
      await run("find", [
        join(image, "opt"),
        "-not",
        "-user",
        "root",
        "-or",
        "-perm",
        "/022",
        "-not",
        "-type",
        "l",
      ]),
    ).toBe("")
  })

  it("listens on all addresses of its container by default", () => {
    const server = decodeServerConfig({
      ...environmentOfImage(),
      DATABASE_URL: "postgres://database/tocsin",
      TOCSIN_MASTER_KEY: Buffer.alloc(32, 1).toString("base64"),
    })
    expect(Result.getOrThrow(server)).toMatchObject({ host: "0.0.0.0", port: 8080 })
  })

  it("runs commands as `tocsin`", async () => {
    expect(await runToEnd(["tocsin", "--version"])).toEqual({ code: 0, printed: `${version}\n` })
  })

  it("reports what is not configured", async () => {
    const { code, printed } = await runToEnd([...config.Entrypoint, ...config.Cmd], {
      TOCSIN_STORE: "postgres",
    })
    expect(code).toBe(1)
    const { error } = JSON.parse(printed) as { readonly error: string }
    expect(error).toMatch(/^DATABASE_URL .*\nTOCSIN_MASTER_KEY is required/)
  })

  it("serves requests without rights on a read-only root file system, is healthy, and stops in order", async () => {
    const PORT = await freePort()
    const environment = environmentOf(["acme"], {
      PORT,
      HOST: "127.0.0.1",
      DATABASE_URL: await databaseUrl(),
      TOCSIN_DRAIN_SECONDS: "0",
    })
    const healthcheck = () => runToEnd(config.Healthcheck.Test.slice(1), { PORT })
    expect((await healthcheck()).code).toBe(1)

    const server = start([...config.Entrypoint, ...config.Cmd], environment)
    await server.until("Tocsin is listening")
    expect(await healthcheck()).toEqual({ code: 0, printed: "" })

    const status = readFileSync(`/proc/${server.pid()}/status`, "utf8")
    expect(status).toMatch(/^Uid:\t10001\t10001\t10001\t10001$/m)
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^NSpid:(\t\d+)+\t1$/m)
    const mounts = readFileSync(`/proc/${server.pid()}/mounts`, "utf8")
    expect(mounts).toMatch(/^\S+ \/ \S+ ro,/m)

    const url = `http://127.0.0.1:${PORT}`
    const page = await fetch(url)
    expect(page.status).toBe(200)
    const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? []
    expect((await fetch(`${url}${script}`)).headers.get("content-type")).toContain("javascript")
    const editor = await editorOf([url], "acme")
    await editor.call("PUT", "/api/apply", withSlo(), "application/yaml")
    expect((await fetch(`${url}/readyz`)).status).toBe(200)

    process.kill(server.pid(), "SIGTERM")
    expect(await server.ended).toBe(0)
  })
})
