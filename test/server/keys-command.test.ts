import { expect, it } from "vitest"
import { tocsin } from "./child-process.ts"
import { masterKey, useMemoryServer } from "./memory-server.ts"

const clientSecret = "0123456789abcdef0123456789abcdef0123456789A"

const environmentOf = useMemoryServer({
  TOCSIN_BOOTSTRAP_CREDENTIALS: JSON.stringify(
    ["editor", "admin"].map((role) => ({ organization: "acme", clientId: role, clientSecret, role })),
  ),
})

const as = (clientId: string) => ({ ...environmentOf(), TOCSIN_CLIENT_ID: clientId })

it("spec/signatures §18: an admin revokes a key of the organization", async () => {
  const { keyId } = JSON.parse((await tocsin(["keys", "create", "--json"], as("editor"))).stdout)
  const byEditor = await tocsin(["keys", "revoke", "--yes", "--", keyId], as("editor"))
  expect(byEditor).toMatchObject({ code: 1, stdout: "" })
  expect(byEditor.stderr).toContain("Insufficient permissions")
  // Without a terminal, there is nobody to ask.
  const revoked = await tocsin(["keys", "revoke", "--", keyId], as("admin"))
  expect(revoked).toMatchObject({ code: 0, stderr: "" })
  const lines = revoked.stdout.trimEnd().split("\n")
  expect(lines).toEqual([
    `Revoked key ${keyId}.`,
    "Signed by the server's key",
    expect.stringMatching(/^organization {2}[\w-]{43} {2}next {5}from \d{4}-/),
    expect.stringMatching(/^server {8}[\w-]{43} {2}active {3}from \d{4}-/),
  ])
  expect(lines[2]).not.toContain(keyId)
  const again = await tocsin(["keys", "revoke", "--yes", "--", keyId], as("admin"))
  expect(again).toMatchObject({ code: 1, stdout: "" })
  expect(again.stderr).toContain("Public key not found")
})

it("spec/signatures §18: the operator revokes the server's key, and a new one signs", async () => {
  const current = async () =>
    JSON.parse((await tocsin(["keys", "show", "--json"], environmentOf())).stdout).keyId as string
  const keyId = await current()
  const revoke = ["keys", "revoke", "--server", "--", keyId]
  const byAdmin = await tocsin(revoke, as("admin"))
  expect(byAdmin).toMatchObject({ code: 1, stdout: "" })
  expect(byAdmin.stderr).toContain("TOCSIN_MASTER_KEY is required")
  const revoked = await tocsin(revoke, { ...environmentOf(), TOCSIN_MASTER_KEY: masterKey })
  expect(revoked).toMatchObject({ code: 0, stderr: "" })
  const added = await current()
  expect(added).not.toBe(keyId)
  expect(revoked.stdout).toMatch(
    new RegExp(`^Revoked key ${keyId}\\.\nserver {8}${added} {2}active {3}from \\S+Z\n$`),
  )
})
