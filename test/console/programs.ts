import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A signed request, as the console's programs have it. */
export interface SignedRequest {
  readonly url: string
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
  readonly body: string
  readonly publicKeyPem: string | undefined
}

export interface VerifyProgram {
  readonly name: string
  readonly file: string
  readonly prepare?: ReadonlyArray<string>
  readonly run: string
  readonly code: (request: SignedRequest) => string
}

/** The programs of the console that verify a request. It is built apart, with the types of a browser. */
export const { verifyPrograms } = (await import(
  new URL("../../apps/console/src/deliveries/VerifyCode.ts", import.meta.url).href
)) as { readonly verifyPrograms: ReadonlyArray<VerifyProgram> }

/** What a program said, without the trailing line break, and its exit code. */
interface ProgramResult {
  readonly status: number
  readonly said: string
}

/** How a machine shows that it can run the programs of a language without a download. */
const probes: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Node.js": ["node", "--version"],
  Python: ["python3", "-c", "import cryptography"],
  Go: ["go", "version"],
  Java: ["java", "-version"],
}

export type ProgramFolder = ReturnType<typeof makeProgramFolder>

/** A folder in which programs of a page are saved and run as the page says. */
export const makeProgramFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "tocsin-programs-"))
  const call = ([command = "", ...args]: ReadonlyArray<string>) =>
    spawnSync(command, args, { cwd: folder, encoding: "utf8" })
  return {
    hasRuntime: ({ name }: VerifyProgram): boolean =>
      probes[name] !== undefined && call(probes[name]).status === 0,
    /** Runs the commands that the page asks for first. */
    prepare: ({ prepare = [] }: VerifyProgram): ReadonlyArray<ProgramResult> =>
      prepare.map((line) => resultOf(call(line.split(" ")))),
    runProgram: ({ file, run }: VerifyProgram, code: string): ProgramResult => {
      writeFileSync(join(folder, file), code)
      return resultOf(call(run.split(" ")))
    },
    remove: (): void => rmSync(folder, { recursive: true }),
  }
}

const resultOf = ({ status, stdout, stderr }: SpawnSyncReturns<string>): ProgramResult => ({
  status: status ?? -1,
  // `go run` adds the exit code of the program.
  said: `${stdout}${stderr}`.replace(/\nexit status 1\n$/, "").trim(),
})
