import { makeTokenCache } from "../src/client/TokenCache.ts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "vitest"
import { scratch } from "../../../test/server/child-process.ts"

const token = { accessToken: "a.b.c", expiresAt: 1 }

const cacheIn = (home: string, clientSecret = "0123456789abcdef0123456789abcdef0123456789A") =>
  makeTokenCache(
    {
      url: "http://127.0.0.1:8080",
      organization: "acme",
      clientId: "me",
      clientSecret: Redacted.make(clientSecret),
    },
    { XDG_CACHE_HOME: home },
  )

describe("the command line's cache of access tokens", () => {
  it("is for its user's eyes only, and for one credential each", async ({ expect }) => {
    const home = join(scratch, "cache")
    const cache = cacheIn(home)
    await Effect.runPromise(cache.write(token))
    const folder = join(home, "tocsin")
    const [file = "", ...others] = readdirSync(folder)
    expect(others).toEqual([])
    expect(file).not.toContain("0123456789abcdef0123456789abcdef0123456789A")
    expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600])
    expect(await Effect.runPromise(cache.read)).toEqual(token)
    expect(
      await Effect.runPromise(cacheIn(home, "fedcba9876543210fedcba9876543210fedcba9876A").read),
    ).toBeUndefined()
    await Effect.runPromise(cache.remove)
    expect(await Effect.runPromise(cache.read)).toBeUndefined()
  })

  it("writes through nothing that another user of the machine put in its way", async ({ expect }) => {
    const home = join(scratch, "shared-cache")
    await Effect.runPromise(cacheIn(home).write(token))
    const folder = join(home, "tocsin")
    const [file = ""] = readdirSync(folder)
    const victim = join(scratch, "victim")
    writeFileSync(victim, "untouched")
    symlinkSync(victim, join(folder, `${file}.${process.pid}`))
    await Effect.runPromise(cacheIn(home).write({ ...token, accessToken: "d.e.f" }))
    expect(readFileSync(victim, "utf8")).toBe("untouched")
    expect(await Effect.runPromise(cacheIn(home).read)).toEqual({ ...token, accessToken: "d.e.f" })
  })
})
