import { existsSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { bundledProgram } from "./BundledProgram.ts"

/**
 * Bundles TypeScript files with all modules of this repository that they import into a folder, and returns the folder. Each runs there as
 * `bundledProgram`: to compile all modules in each process that a test starts takes far longer than most of the tests.
 *
 * Third-party packages are not bundled: Node.js resolves them from `node_modules` in the folder, as it does from the sources.
 *
 * Modules have the `import.meta` of their sources, and `process.argv` names the source, by which examples know that they are run.
 */
export const bundlePrograms = async (files: ReadonlyArray<URL>, folder: string): Promise<string> => {
  const entryPoints = files.map((file) => fileURLToPath(file))
  const sourceOfProgram = Object.fromEntries(entryPoints.map((file) => [bundledProgram(file, folder), file]))
  await build({
    entryPoints,
    entryNames: "[name]",
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["source"],
    logLevel: "silent",
    banner: {
      js: [`process.argv[1] = ${JSON.stringify(sourceOfProgram)}[process.argv[1]] ?? process.argv[1]\n`].join(
        ";",
      ),
    },
    plugins: [withSourceMeta, withoutThirdParties],
  })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return folder
}

const withoutThirdParties: Plugin = {
  name: "without-third-parties",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./#]/ }, ({ path, kind, resolveDir }) => {
      const isOurs = kind === "entry-point" || path.startsWith("@tocsin/")
      return isOurs || hasVersionOfItsOwn(resolveDir, path) ? undefined : { path, external: true }
    })
  },
}

const root = fileURLToPath(new URL("..", import.meta.url))

/** Whether the workspace of a folder has another version of a package than the root has, which its bundle could not resolve. */
const hasVersionOfItsOwn = (folder: string, path: string): boolean => {
  const workspace = relative(root, folder).split(sep).slice(0, 2).join(sep)
  const name = path.split("/").slice(0, path.startsWith("@") ? 2 : 1)
  return existsSync(join(root, workspace, "node_modules", ...name))
}

const withSourceMeta: Plugin = {
  name: "source-meta",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const code = readFileSync(path, "utf8")
      if (path.includes("node_modules") || !code.includes("import.meta")) return undefined
      const contents = code
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.filename", JSON.stringify(path))
      return { loader: "ts", contents }
    })
  },
}
