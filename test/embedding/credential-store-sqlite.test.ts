import * as CredentialStoreSqlite from "@tocsin/examples/credential-store-sqlite"
import { CredentialStore } from "@tocsin/domain/ports"
import { credentialStoreContract } from "@tocsin/testing/contracts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { join } from "node:path"
import { expect, it } from "vitest"
import { dataDirectory } from "../server/child-process.ts"

credentialStoreContract("SQLite in memory", CredentialStoreSqlite.layer(":memory:"))

credentialStoreContract(
  "SQLite in a file",
  CredentialStoreSqlite.layer(join(dataDirectory(), "credentials.db")),
)

it("what a file has is there when it is opened again", async () => {
  const file = join(dataDirectory(), "credentials.db")
  const credential = {
    organization: "acme",
    clientId: "ci",
    role: "editor",
    secretHash: "hash",
    isDisabled: false,
    createdAt: 1_767_225_600_123,
  } as const
  const using = <A, E>(use: (store: CredentialStore["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(
      Effect.flatMap(CredentialStore, use).pipe(Effect.provide(CredentialStoreSqlite.layer(file))),
    )
  expect(await using((store) => store.create(credential))).toBe(true)
  expect(await using((store) => store.find("acme", "ci"))).toEqual(Option.some(credential))
})
