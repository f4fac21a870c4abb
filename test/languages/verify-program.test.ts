import { afterAll, beforeAll, describe, expect, vi } from "vitest"
import { makeProgramFolder, verifyPrograms } from "../console/programs.ts"
import { verifySuite } from "../console/verify-suite.ts"
import { receiverPrograms, withToolchain } from "./ReceiverPrograms.ts"

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

const folder = makeProgramFolder()
afterAll(folder.remove)

// Its dependencies are downloaded and compiled; the other programs are tested with the console.
for (const receiver of receiverPrograms.filter(({ language }) => language === "Rust")) {
  withToolchain(receiver, (version) =>
    describe.each(verifyPrograms.filter(({ name }) => name === receiver.language))(
      `the program in $name (${version}) on the page of a delivery`,
      (program) => {
        beforeAll(() => {
          const prepared = folder.prepare(program)
          expect(prepared.filter(({ status }) => status !== 0)).toEqual([])
        })
        verifySuite(program, folder)
      },
    ),
  )
}
