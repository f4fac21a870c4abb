import { afterAll, describe, expect, it, vi } from "vitest"
import { makeProgramFolder, verifyPrograms } from "./programs.ts"
import { signedRequest, verifySuite } from "./verify-suite.ts"

// Go and Java compile first.
vi.setConfig({ testTimeout: 120_000 })

const folder = makeProgramFolder()
afterAll(folder.remove)

describe.each(verifyPrograms.filter(folder.hasRuntime))("the program in $name", (program) => {
  verifySuite(program, folder)
})

describe.each(verifyPrograms)("the program in $name", (program) => {
  it("says where a value is missing that the console does not have", () => {
    const { headers, ...request } = signedRequest()
    const unsigned = headers.filter(({ name }) => name !== "Signature")
    const code = program.code({ ...request, url: "", headers: unsigned, publicKeyPem: undefined })
    expect(code.match(/FILL IN/g)).toHaveLength(4)
  })
})
