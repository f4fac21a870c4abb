import * as adaptersEgress from "@tocsin/adapters-egress"
import * as adaptersHttp from "@tocsin/adapters-http"
import * as mounts from "@tocsin/adapters-http/mounts"
import * as adaptersMemory from "@tocsin/adapters-memory"
import * as adaptersPg from "@tocsin/adapters-pg"
import * as useCases from "@tocsin/domain"
import { DefinitionsAreInvalid } from "@tocsin/domain"
import { TaggedError } from "@tocsin/domain/adapter"
import * as ports from "@tocsin/domain/ports"
import * as sloArithmetic from "@tocsin/domain/slo"
import * as template from "@tocsin/domain/template"
import * as Cause from "effect/Cause"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { StoreIsUnavailable } from "@tocsin/domain/ports"

type ErrorClass = new (fields: object) => Error & { readonly _tag?: string }

const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === "function" && value.prototype instanceof Error

const errorsOf = (module: object): ReadonlyArray<ErrorClass> =>
  Object.values(module).flatMap((value: unknown) => {
    if (isErrorClass(value)) return [value]
    // A namespace, such as `WebhookTransportUndici`.
    const isModule = Object.prototype.toString.call(value) === "[object Module]"
    return isModule ? errorsOf(Object(value)) : []
  })

const published = new Set(
  [
    useCases,
    ports,
    sloArithmetic,
    template,
    adaptersEgress,
    adaptersHttp,
    mounts,
    adaptersMemory,
    adaptersPg,
  ].flatMap(errorsOf),
)

/** What any of them may have, with secrets where they may be. */
const fields = {
  operation: "page",
  isRetryable: true,
  cause: new Error("s3cret"),
  issues: [{ path: "[0].metadata.name", code: "required", message: "is required" }],
  detail: "the receiver refused the connection",
  name: "checkout",
  project: "shop",
  value: "s3cret",
  key: "s3cret",
  row: "s3cret",
  token: "s3cret",
  states: ["s3cret"],
}

describe("the errors of the published packages", () => {
  it("have a message that says what is wrong, without secrets", () => {
    expect(published.size).toBeGreaterThan(30)
    for (const PublishedError of published) {
      for (const given of [fields, {}]) {
        const error = new PublishedError(given)
        const words = error._tag?.split(/(?=[A-Z])/).length ?? 0
        expect(error.message.split(" ").length, error._tag).toBeGreaterThanOrEqual(words)
        expect(error.message, error._tag).not.toContain("s3cret")
        expect(error.message, error._tag).not.toMatch(/undefined|\[object/)
      }
      expect(new PublishedError(fields).message).toMatch(/is required/)
    }
  })

  it("show it however they are logged", () => {
    const issues = [
      { path: "[0].metadata.name", code: "required", message: "is required" },
      { path: "", code: "too_many", message: "must have at most 2 entries" },
    ] as const
    const error = new DefinitionsAreInvalid({ issues })
    const message = "definitions are invalid: [0].metadata.name: is required; must have at most 2 entries"
    expect(error.message).toBe(message)
    for (const text of [
      `${error}`,
      inspect(error),
      error.stack,
      Cause.pretty(Cause.fail(error)),
      JSON.stringify(error),
    ]) {
      expect(text).toContain(message)
    }
    expect(Object.keys(error)).toEqual(["issues", "_tag"])
    const unavailable = { operation: "find", isRetryable: true, cause: new Error("refused") }
    expect(new StoreIsUnavailable({ store: "CredentialStore", ...unavailable })).toMatchObject({
      message: "store is unavailable: store CredentialStore, operation find",
      cause: unavailable.cause,
    })
  })

  it("are on one line and no longer than needed, whatever was sent", () => {
    class SloNotFound extends TaggedError("SloNotFound")<{
      readonly project: string
      readonly name: string
    }> {}
    const long = new SloNotFound({ name: `a\n\u0085${"b".repeat(10_000)}`, project: "shop" })
    expect(long.message).toMatch(/^SLO not found: project shop, name a b{297,298}…$/)
    const issues = Array.from({ length: 1_000 }, (_, index) => ({
      path: `[${index}]`,
      message: "is required",
    }))
    const many = new DefinitionsAreInvalid({ issues: issues as never })
    expect(many.message).toMatch(/\[9\]: is required; and 990 more$/)
  })

  it("keep a message of their own", () => {
    class MasterKeyIsWrong extends TaggedError("MasterKeyIsWrong")<{ readonly message: string }> {}
    expect(new MasterKeyIsWrong({ message: "the key is wrong" }).message).toBe("the key is wrong")
  })
})
