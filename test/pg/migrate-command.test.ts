import { Migrations } from "@tocsin/adapters-pg"
import { expect, it } from "vitest"
import { urlOf } from "../crash/CrashDatabase.ts"
import { tocsin } from "../server/child-process.ts"
import { newDatabase } from "./TestDatabase.ts"

it("tocsin database migrate lists what it would do, and then does it, once", async () => {
  const environment = { DATABASE_URL: urlOf(await newDatabase("empty")) }
  const migrate = (...flags: ReadonlyArray<string>) => tocsin(["database", "migrate", ...flags], environment)
  const newest = Migrations.migrations.length
  const listed = await migrate("--dry-run")
  expect(listed).toMatchObject({ code: 0, stderr: "" })
  expect(listed.stdout).toMatch(/^-- Version 1\n/)
  expect(listed.stdout).toContain("CREATE TABLE organizations (")
  expect(listed.stdout.match(/^-- Version \d+$/gm)?.length).toBe(newest)
  // Listing changes nothing.
  expect(await migrate("--dry-run")).toEqual(listed)
  const upToDate = `The schema is up to date (version ${newest}).\n`
  expect((await migrate()).stdout).toBe(`Migrated the schema from version 0 to ${newest}.\n`)
  expect((await migrate()).stdout).toBe(upToDate)
  expect((await migrate("--dry-run")).stdout).toBe(upToDate)
})
