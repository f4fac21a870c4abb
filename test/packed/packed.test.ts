import { spawn } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { randomBytes } from "node:crypto"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { freePort } from "../FreePort.ts"
import { closeServer, listen } from "../receiver/KeyServer.ts"
import { acceptedCases, rejectedCases } from "../../packages/receiver/test/signature/SignatureCases.ts"
import { signedRequest, testKeyPublished, testNowSeconds, type TestRequest } from "../signature/TestKey.ts"
import { makeDatabaseFolder, removeDatabaseFolder, watchProcess } from "../Watchdog.ts"
import { run, runWithErrors } from "./Run.ts"

const root = join(import.meta.dirname, "../..")
const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "apps/server"]

/** A project with all packages but the server, and the tarballs. */
const { project, tarballs, refused } = inject("packed")

const bin = (name: string): string => join(project, "node_modules/.bin", name)

const manifest = (
  folder: string,
): { name: string; exports?: object; peerDependencies?: object; dependencies?: object } =>
  JSON.parse(readFileSync(join(project, "node_modules", nameOf(folder), "package.json"), "utf8"))

const nameOf = (folder: string): string =>
  JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")).name

/** The specifiers that users import. */
const entryPoints = (): ReadonlyArray<string> =>
  folders
    .filter((folder) => folder !== "apps/server")
    .flatMap((folder) => {
      const { name, exports = {} } = manifest(folder)
      return (
        Object.keys(exports)
          // The helpers of `/vitest` need Vitest and fast-check, which are optional.
          .filter((path) => !path.includes("*") && path !== "./vitest")
          .map((path) => name + path.slice(1))
      )
    })

describe("the repository", () => {
  it("is installed by npm ci without a warning", () => {
    const copy = mkdtempSync(join(tmpdir(), "tocsin-clone-"))
    try {
      const files = run("git", ["ls-files", "*package.json", "package-lock.json", ".npmrc"], root)
      for (const file of files.trim().split("\n")) cpSync(join(root, file), join(copy, file))
      const output = runWithErrors("npm", ["ci", "--dry-run", "--ignore-scripts", "--loglevel=notice"], copy)
      expect(output).toContain("added")
      expect(output).not.toMatch(/npm warn/i)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  })
})

describe("the tarballs", () => {
  it("are for the present Node.js", () => expect(refused).toEqual([]))

  it("are right by publint and arethetypeswrong", () => {
    for (const tarball of tarballs) {
      run(bin("publint"), ["run", tarball, "--strict"], project)
      if (tarball.includes("tocsin-server")) continue
      run(bin("attw"), [tarball, "--profile", "esm-only", "--exclude-entrypoints", "./internal/*"], project)
    }
  })

  it("have one Effect, that of the user", () => {
    for (const folder of folders.filter((name) => name !== "apps/server")) {
      expect(Object.keys(manifest(folder).dependencies ?? {})).not.toContain("effect")
    }
    const { dependencies = {}, peerDependencies = {} } = manifest("packages/receiver")
    expect([dependencies, peerDependencies]).toEqual([{}, {}])
    const found = run(
      "find",
      ["node_modules", "-path", "*/effect/package.json", "-not", "-path", "*/dist/*"],
      project,
    )
    expect(found.trim().split("\n")).toEqual(["node_modules/effect/package.json"])
  })

  it("bring with the Fetch handler no SDK of MCP, protobuf, grammar of PromQL, RE2 or client of HTTP", () => {
    const installed = new Set<string>()
    const visit = (name: string): void => {
      if (installed.has(name)) return
      installed.add(name)
      const { dependencies = {} } = JSON.parse(
        readFileSync(join(project, "node_modules", name, "package.json"), "utf8"),
      ) as { readonly dependencies?: Readonly<Record<string, string>> }
      for (const each of Object.keys(dependencies)) visit(each)
    }
    visit("@tocsin/adapters-http")
    expect([...installed].toSorted()).toEqual([
      "@tocsin/adapters-http",
      "@tocsin/api",
      "@tocsin/domain",
      "@tocsin/formats",
      "@tocsin/receiver",
      "argparse",
      "jose",
      "js-yaml",
      "rrule-temporal",
      "temporal-spec",
    ])
  })

  it("name no path of the repository or of this machine", () => {
    const packages = join(project, "node_modules/@tocsin")
    for (const file of readdirSync(packages, { recursive: true, encoding: "utf8" })) {
      if (!/\.(js|mjs|d\.ts|json|map)$/.test(file)) continue
      expect(readFileSync(join(packages, file), "utf8").includes(root), file).toBe(false)
    }
  })
})

/** Compiles the programs in a folder of the project to its folder `out`, and checks the declarations of the dependencies. */
const compile = (folder: string, moduleResolution: string) => {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: moduleResolution === "bundler" ? "preserve" : "node16",
    moduleResolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    types: ["node"],
    outDir: "out",
  }
  writeFileSync(
    join(project, folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["*.ts"] }),
  )
  run(bin("tsc"), ["-p", folder], project)
}

describe.each(["bundler", "node16"])("a program with moduleResolution %s", (moduleResolution) => {
  it("compiles with every entry point, and the declarations of the dependencies checked", () => {
    const folder = `entry-points-${moduleResolution}`
    mkdirSync(join(project, folder))
    const lines = entryPoints().map((specifier, index) => `export * as e${index} from "${specifier}"`)
    expect(lines.length).toBeGreaterThan(12)
    writeFileSync(join(project, folder, "all.ts"), `${lines.join("\n")}\n`)
    compile(folder, moduleResolution)
  })

  it("compiles with every example of the packages' READMEs", () => {
    const folder = `readme-${moduleResolution}`
    mkdirSync(join(project, folder))
    const blocks = readmeBlocks()
    for (const { name, code } of blocks) writeFileSync(join(project, folder, `${name}.ts`), code)
    compile(folder, moduleResolution)
    expect(blocks.length).toBeGreaterThan(6)
  })
})

const readmeBlocks = () =>
  folders.flatMap((folder) => {
    const text = readFileSync(join(root, folder, "README.md"), "utf8")
    return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""], index) => ({
      name: `${folder.replace("/", "-")}-${index + 1}`,
      code,
    }))
  })

describe("the examples of the packages' READMEs", () => {
  it("print what they say when they run", () => {
    // Those with an expected output need no server.
    const runnable = readmeBlocks().filter(({ code }) => /^console\.log\(.*\) \/\/ /m.test(code))
    expect(runnable.length).toBe(12)
    for (const { name, code } of runnable) {
      const expected = [...code.matchAll(/^console\.log\(.*\) \/\/ (.*)$/gm)].map(([, value]) => value)
      const output = run(process.execPath, [`out/${name}.js`], join(project, "readme-node16"), {})
      expect(output.trim().split("\n"), name).toEqual(expected)
    }
  })
})

describe("the examples of the repository", () => {
  const folder = "examples"
  const examples = ["embed-core", "embed-fetch", "signing-key-store-file"]
  const suites = ["embed-core", "signing-key-store-file"]
  beforeAll(() => {
    mkdirSync(join(project, folder))
    for (const name of examples)
      cpSync(join(root, `examples/src/${name}.ts`), join(project, folder, `${name}.ts`))
    for (const name of suites) {
      const suite = readFileSync(join(root, `test/embedding/${name}.test.ts`), "utf8")
      const own = suite.replaceAll(/"@tocsin\/examples\/([a-z-]+)"/g, '"./$1.js"')
      writeFileSync(join(project, folder, `${name}.test.ts`), own)
    }
  })

  it("compile, and a store passes its contract suite, and a host works without the features that it leaves out", () => {
    compile(folder, "node16")
    const output = run(bin("vitest"), ["run", "--dir", `${folder}/out`, "--reporter=json"], project, {
      NO_COLOR: "1",
    })
    const { numTotalTests, numPassedTests, testResults } = JSON.parse(output.slice(output.indexOf("{"))) as {
      readonly numTotalTests: number
      readonly numPassedTests: number
      readonly testResults: ReadonlyArray<unknown>
    }
    expect(testResults).toHaveLength(suites.length)
    expect(numTotalTests).toBeGreaterThan(20)
    expect(numPassedTests).toBe(numTotalTests)
  })
})

describe("the sizes of bundles, minified and gzipped", () => {
  /** Of what is loaded at start: without what is imported on first use. */
  const sizeOf = (
    name: string,
    code: string,
    platform: "node" | "neutral",
    options: ReadonlyArray<string> = [],
  ) => {
    const input = join(project, `${name}.size.mjs`)
    const output = join(project, `${name}.size`)
    const metafile = join(project, `${name}.size.json`)
    writeFileSync(input, code)
    run(
      bin("esbuild"),
      [
        input,
        "--bundle",
        "--minify",
        "--splitting",
        "--format=esm",
        `--platform=${platform}`,
        ...(platform === "neutral" ? ["--main-fields=module,main", "--conditions=workerd,import"] : []),
        ...options,
        `--outdir=${output}`,
        `--metafile=${metafile}`,
      ],
      project,
    )
    const { inputs, outputs } = JSON.parse(readFileSync(metafile, "utf8")) as {
      readonly inputs: Readonly<
        Record<string, { readonly imports: ReadonlyArray<{ readonly path: string }> }>
      >
      readonly outputs: Readonly<
        Record<
          string,
          {
            readonly entryPoint?: string
            readonly imports: ReadonlyArray<{ readonly path: string; readonly kind: string }>
          }
        >
      >
    }
    const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === `${name}.size.mjs`)
    const loaded = new Set([entry ?? ""])
    for (const path of loaded) {
      for (const each of outputs[path]?.imports ?? []) {
        if (each.kind === "import-statement" && outputs[each.path] !== undefined) loaded.add(each.path)
      }
    }
    const size = gzipSync(Buffer.concat([...loaded].map((path) => readFileSync(join(project, path))))).length
    process.stdout.write(`${name}: ${(size / 1_024).toFixed(1)} KiB\n`)
    const modules = Object.entries(inputs).flatMap(([path, each]) => [
      path,
      ...each.imports.map((imported) => imported.path),
    ])
    return { bytes: size, modules }
  }

  it("of arithmetic and alerting have neither what they do not need, nor Effect", () => {
    const effectApart = ["--external:effect"]
    const withoutEffect = /^effect|codec\/(Codec|Containers|Leaves)\.|rrule|\/delivery\//
    const slo = sizeOf("slo", `export * from "@tocsin/domain/slo"`, "neutral", effectApart)
    expect(slo.bytes).toBeLessThan(12_000)
    expect(slo.modules.filter((path) => withoutEffect.test(path))).toEqual([])
    const alerting = sizeOf("alerting", `export * from "@tocsin/domain/alerting"`, "neutral", effectApart)
    expect(alerting.bytes).toBeLessThan(40_000)
    expect(alerting.modules.filter((path) => withoutEffect.test(path))).toEqual([])
  })

  it("are within what users can afford", () => {
    expect(
      sizeOf(
        "receiver",
        `export * from "@tocsin/receiver"; export * from "@tocsin/receiver/fetch"`,
        "neutral",
      ).bytes,
    ).toBeLessThan(10_000)
    expect(
      sizeOf(
        "template and SLO arithmetic",
        `export * from "@tocsin/domain/template"; export * from "@tocsin/domain/slo"`,
        "neutral",
      ).bytes,
    ).toBeLessThan(30_000)
    expect(
      sizeOf("Fetch handler", `export { makeApiFetchHandler } from "@tocsin/adapters-http"`, "node").bytes,
    ).toBeLessThan(430_000)
  })
})

describe("the receiver in every runtime", () => {
  let server: Server
  let url: string
  beforeAll(async () => {
    for (const file of ["receiver-suite", "receiver-main", "receiver-worker", "embed", "mounts"]) {
      cpSync(join(root, `test/packed/${file}.mjs`), join(project, `${file}.mjs`))
    }
    server = createServer((request, response) => {
      if (request.url === "/cases") return void response.end(JSON.stringify(suite()))
      if (request.url?.startsWith("/redirected/")) {
        return void response.writeHead(302, { location: request.url.slice("/redirected".length) }).end()
      }
      response.end(JSON.stringify({ keys: [testKeyPublished] }))
    })
    url = await listen(server)
  })
  afterAll(() => closeServer(server))

  const suite = () => ({
    nowMs: testNowSeconds * 1_000,
    keys: [testKeyPublished],
    cases: [
      ...acceptedCases.map(([what, request]) => ({ what, expected: "verified", request: inJson(request) })),
      ...rejectedCases.map(([expected, what, request]) => ({ what, expected, request: inJson(request) })),
    ],
    notification: {
      ...inJson(signedRequest({ authority: "hooks.example.com", path: "/hooks/a%20b" })),
      url: "https://hooks.example.com/hooks/a%20b",
    },
  })
  const inJson = (request: TestRequest) => ({
    ...request,
    body: Buffer.from(request.body).toString("base64"),
  })

  const count = acceptedCases.length + rejectedCases.length + 2
  const expectAll = (output: string) => expect(JSON.parse(output)).toEqual({ count, differences: [] })
  const runAside = (command: string, args: ReadonlyArray<string>) =>
    new Promise<string>((resolve, reject) => {
      const child = watchProcess(
        spawn(command, args, {
          cwd: project,
          env: { ...process.env, DENO_NO_UPDATE_CHECK: "1", DO_NOT_TRACK: "1" },
        }),
      )
      let [stdout, stderr] = ["", ""]
      child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
      child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
      child.once("close", (code) =>
        code === 0 ? resolve(stdout) : reject(new Error(`${command} ended with ${code}: ${stdout}${stderr}`)),
      )
    })

  // The oldest that is supported, and the newest of each series.
  it.each(["20.19.0", "22.22.0", "24.21.0", "26.10.0"])("Node.js %s", async (version) => {
    const name = `node-${process.platform}-${process.arch}`
    const folder = join(project, `node-${version}`)
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), "{}")
    run("npm", ["install", `${name}@${version}`], folder)
    const node = join(folder, "node_modules", name, "bin/node")
    expect(run(node, ["--version"], folder).trim()).toBe(`v${version}`)
    expectAll(await runAside(node, ["receiver-main.mjs", url]))
    expect(JSON.parse(await runAside(node, ["embed.mjs"]))).toEqual([200, 200, 200, ["web"]])
  })

  it.each(["node", "express", "fastify", "hono", "effect", "deno", "deno-plain", "bun", "bun-plain"])(
    "spec/access §6: the API mounted by %s limits 1,000 requests with an invalid secret, and accepts the right one",
    async (host) => {
      const [runtime] = host.split("-")
      const denoFlags = ["run", "--no-remote", "--no-prompt", "--node-modules-dir=manual"]
      const output =
        runtime === "deno"
          ? await runAside(bin("deno"), [
              ...denoFlags,
              "--allow-net=127.0.0.1",
              "--allow-env",
              "--allow-read",
              "--allow-sys",
              "mounts.mjs",
              host,
            ])
          : runtime === "bun"
            ? await runAside(bin("bun"), ["--no-install", "mounts.mjs", host])
            : await runAside(process.execPath, ["mounts.mjs", host])
      // After the log, which says whom a limit rejects.
      const last = output.trimEnd().split("\n").at(-1) ?? ""
      expect(JSON.parse(last)).toEqual({ statuses: ["401", "429"], count: 1_000, right: 200 })
    },
  )

  it("Deno", async () => {
    const flags = ["run", "--no-remote", "--no-prompt", "--node-modules-dir=manual"]
    expectAll(await runAside(bin("deno"), [...flags, "--allow-net=127.0.0.1", "receiver-main.mjs", url]))
    const output = await runAside(bin("deno"), [
      ...flags,
      "--allow-env",
      "--allow-read",
      "--allow-sys",
      "embed.mjs",
    ])
    expect(JSON.parse(output)).toEqual([200, 200, 200, ["web"]])
  })

  it("Bun", async () => {
    expectAll(await runAside(bin("bun"), ["--no-install", "receiver-main.mjs", url]))
    expect(JSON.parse(await runAside(bin("bun"), ["--no-install", "embed.mjs"]))).toEqual([
      200,
      200,
      200,
      ["web"],
    ])
  })

  it("workerd", async () => {
    run(
      bin("esbuild"),
      ["receiver-worker.mjs", "--bundle", "--format=esm", "--conditions=workerd", "--outfile=worker.out.mjs"],
      project,
    )
    writeFileSync(
      join(project, "miniflare.mjs"),
      `import { Miniflare } from "miniflare"
const worker = new Miniflare({
  modules: true,
  scriptPath: "worker.out.mjs",
  compatibilityDate: "2026-07-01",
  bindings: { CASES_URL: process.argv[2] },
  // Otherwise it asks the network for properties of requests.
  cf: false,
})
console.log(await (await worker.dispatchFetch("http://127.0.0.1/")).text())
await worker.dispose()
`,
    )
    expectAll(await runAside(process.execPath, ["miniflare.mjs", url]))
  })
})

describe("the server", () => {
  let folder: string
  beforeAll(() => {
    // The user that the embedded PostgreSQL runs as must be able to read it.
    folder = makeDatabaseFolder()
    writeFileSync(join(folder, "package.json"), "{}")
    const server = tarballs.filter((file) => file.includes("tocsin-server"))
    expect(runWithErrors("npm", ["install", ...server], folder)).not.toContain("EBADENGINE")
  })
  afterAll(() => removeDatabaseFolder(folder))

  it("has one optional dependency and no other packages", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."))
    expect(installed).toContain("@tocsin")
    expect(installed.length).toBeLessThan(25)
    expect(existsSync(join(folder, "node_modules/effect"))).toBe(false)
    expect(run("npx", ["tocsin", "--version"], folder).trim()).toBe("0.1.0")
  })

  const serving = async (environment: Readonly<Record<string, string>> = {}) => {
    const PORT = await freePort()
    const server = watchProcess(
      spawn("npx", ["tocsin", "serve"], {
        cwd: folder,
        detached: true,
        env: {
          ...process.env,
          PORT,
          TOCSIN_STORE: "memory",
          TOCSIN_MASTER_KEY: randomBytes(32).toString("base64"),
          TOCSIN_DRAIN_SECONDS: "0",
          ...environment,
        },
      }),
    )
    const ended = new Promise((resolve) => server.once("close", resolve))
    await new Promise<void>((resolve, reject) => {
      let printed = ""
      server.stderr.on("data", (chunk: Buffer) => {
        printed += chunk.toString()
        if (printed.includes("Tocsin is listening")) resolve()
      })
      server.once("close", () => reject(new Error(printed)))
    })
    return {
      url: `http://127.0.0.1:${PORT}`,
      stop: () => {
        if (server.pid !== undefined) process.kill(-server.pid, "SIGTERM")
        return ended
      },
    }
  }

  it("serves with npx tocsin serve, its data in memory", async () => {
    const { url, stop } = await serving()
    try {
      const statuses = ["/readyz", "/", "/docs", "/openapi.json"].map(
        async (path) => (await fetch(url + path)).status,
      )
      expect(await Promise.all(statuses)).toEqual([200, 200, 200, 200])
    } finally {
      await stop()
    }
  })

  it("signs with the keys of a store of TOCSIN_STORES, compiled beside the packages", async () => {
    const keys = join(project, "signing-keys.json")
    const TOCSIN_STORES = join(project, "examples/out/signing-key-store-file.js")
    const server = await serving({ TOCSIN_STORES, SIGNING_KEYS_FILE: keys })
    try {
      const path = "/api/notifications/v1/webhook-http-signature/public-key"
      const { keyId } = (await (await fetch(server.url + path)).json()) as { readonly keyId: string }
      expect(keyId).toMatch(/^[\w-]{43}$/)
      expect(readFileSync(keys, "utf8")).toContain(keyId)
    } finally {
      await server.stop()
    }
  })

  it("runs with npx tocsin in a clone, too", () => {
    expect(run("npx", ["--no-install", "tocsin", "--version"], root).trim()).toBe("0.1.0")
  })

  it("rings with npx tocsin demo", async () => {
    const demo = watchProcess(
      spawn("npx", ["tocsin", "demo"], {
        cwd: folder,
        detached: true,
        env: { ...process.env, PORT: await freePort(), TOCSIN_DRAIN_SECONDS: "0" },
      }),
    )
    try {
      const output = await new Promise<string>((resolve, reject) => {
        let printed = ""
        const read = (chunk: Buffer) => {
          printed += chunk.toString()
          if (printed.includes("signature verified")) resolve(printed)
        }
        demo.stdout.on("data", read)
        demo.stderr.on("data", read)
        demo.once("close", () => reject(new Error(printed)))
      })
      const [, url = ""] = /(http:\/\/\S+)/.exec(output) ?? []
      const page = await fetch(new URL("/", url))
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<div id=")])
    } finally {
      if (demo.pid !== undefined) process.kill(-demo.pid, "SIGTERM")
      await new Promise((resolve) => demo.once("close", resolve))
    }
  })
})
