import { describe, expect, it } from "vitest"
import { isOfOneOrganization, refusalsOf } from "../../../../test/pg/StatementRules.ts"

const acme = ["acme", "globex", "acme"]

describe("the rules for statements on the data of organizations", () => {
  it.each([
    ["a read", "SELECT * FROM slos WHERE organization = $1 AND name = 'x' FOR UPDATE"],
    [
      "a join to the same organization",
      "UPDATE slos s SET due_at = 1 FROM definitions d WHERE s.organization = $1 AND d.organization = s.organization",
    ],
    [
      "two conditions on one organization",
      "DELETE FROM slos WHERE organization = $1 AND NOT EXISTS (SELECT FROM alerts WHERE organization = $3)",
    ],
    [
      "inserted rows of one organization",
      'INSERT INTO "alert_subjects" ("organization", "subject") VALUES ($1, $2), ($3, $2)',
    ],
    [
      "an inserted row with expressions",
      "INSERT INTO rate_limit_windows AS w (policy, organization, n) VALUES (f(a, b), $1, ARRAY[now_ms(), 2]) ON CONFLICT (organization) DO NOTHING",
    ],
    [
      "an insert of what a query reads",
      "INSERT INTO slos (organization, name) SELECT o.organization, n FROM (SELECT organization FROM organizations WHERE organization = $1) o, unnest($2) n",
    ],
    [
      "a recursive read of one organization",
      "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT n FROM alerts WHERE organization = $1) SELECT * FROM r",
    ],
    ["a table of the installation", "SELECT * FROM signing_keys ORDER BY position FOR UPDATE"],
    ["a reviewed read", "SELECT organization, project, name FROM slos WHERE due_at <= $1 ORDER BY due_at"],
  ])("accept %s", (_, text) => {
    expect(refusalsOf(text, acme)).toEqual([])
  })

  it.each([
    ["no organization", "SELECT * FROM slos WHERE name = 'x'", /1 tables, but 0 restricted/],
    ["a lock on rows of several", "SELECT * FROM slos ORDER BY due_at FOR UPDATE SKIP LOCKED", /names 0/],
    ["several organizations", "DELETE FROM alerts WHERE organization = ANY ($1)", /names 0/],
    [
      "another organization for the second table",
      "SELECT FROM slos s JOIN alerts a ON a.organization = $2 WHERE s.organization = $1",
      /names 2/,
    ],
    [
      "a join without the organization",
      "SELECT FROM slos s JOIN alerts a ON a.slo = s.name WHERE s.organization = $1",
      /2 tables, but 1/,
    ],
    [
      "inserted rows of two organizations",
      "INSERT INTO alert_subjects (organization, subject) VALUES ($1, $3), ($2, $3)",
      /names 2/,
    ],
    [
      "an insert from a list, which runs on the coordinator",
      "INSERT INTO slos SELECT $1, name FROM unnest($2) AS name",
      /names 0/,
    ],
    [
      "a recursive read of all",
      "WITH RECURSIVE r AS (SELECT server FROM indicator_polls UNION ALL SELECT 'x') SELECT * FROM r",
      /names 0/,
    ],
    ["ctid", "DELETE FROM alerts WHERE organization = $1 AND ctid = ANY ($2)", /ctid/],
    [
      "an advisory lock",
      "SELECT pg_advisory_xact_lock(1) FROM slos WHERE organization = $1",
      /advisory locks are of one node/,
    ],
    [
      "the clock in DO UPDATE",
      "INSERT INTO alert_receipts (organization) VALUES ($1) ON CONFLICT (organization) DO UPDATE SET expires_at = now_ms()",
      /DO UPDATE SET may not call/,
    ],
    [
      "the clock in COALESCE",
      "UPDATE alerts SET resolved_at = coalesce(resolved_at, now_ms()) WHERE organization = $1",
      /CASE and COALESCE may not call/,
    ],
    [
      "a reviewed read that locks",
      "SELECT organization, project, name FROM slos WHERE due_at <= $1 ORDER BY due_at FOR NO KEY UPDATE",
      /may neither write nor lock/,
    ],
  ])("reject %s", (_, text, refusal) => {
    expect(refusalsOf(text, acme).join()).toMatch(refusal)
  })

  it("are not about tables of the installation", () => {
    expect(isOfOneOrganization("SELECT * FROM signing_keys")).toBe(false)
    expect(isOfOneOrganization("SELECT * FROM slos WHERE organization = $1")).toBe(true)
  })
})
