import type { Alert } from "@tocsin/domain/alerting"
import { AlertStore, CountStore, DefinitionStore, SloStore } from "@tocsin/domain/ports"
import { makeTurns } from "@tocsin/domain/rate-limit"
import { statusPageOf, statusPageTurns, StatusPageTurns } from "../../src/status-pages/StatusPages.ts"
import { alertOf } from "@tocsin/testing/fixtures"
import { describe, expect, it } from "@tocsin/testing/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { apiServer, errorsOf, headersOf, send } from "../../../../test/http/api-client.ts"

const day = 86_400_000
const now = Date.parse("2026-03-31T12:00:00Z")

const apply = (organization: string, definitions: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    return yield* send("/api/apply", {
      method: "PUT",
      headers: { ...(yield* headersOf(organization)), "content-type": "application/json" },
      body: JSON.stringify(definitions.map((each) => ({ apiVersion: "tocsin/v1alpha", ...each }))),
    })
  })

const project = (statusPage: object | undefined, name = "shop") => ({
  kind: "Project",
  metadata: { name, displayName: "The <Shop>" },
  spec: { statusPage },
})

const service = (name: string, displayName: string) => ({
  kind: "Service",
  metadata: { name, project: "shop", displayName },
})

const slo = (name: string, ofService: string) => ({
  kind: "SLO",
  metadata: { name, project: "shop", displayName: `SLO <${name}>` },
  spec: {
    service: ofService,
    budgetingMethod: "Occurrences",
    timeWindows: [{ unit: "Day", count: 28, isRolling: true }],
    objectives: [{ name: "good", target: 0.99 }],
  },
})

/** A shop with three services, of which one has an SLO without counts. */
const shop = (slug: string) => [
  project({ slug, description: "What you can & cannot do." }),
  service("checkout", "Checkout"),
  service("search", "Search"),
  service("mail", "Mail"),
  slo("checkout-ok", "checkout"),
  slo("search-ok", "search"),
  slo("mail-ok", "mail"),
]

const counted = (name: string, daysAgo: number, good: number) =>
  Effect.flatMap(CountStore, (store) =>
    store.record("acme", [
      {
        slo: { project: "shop", name },
        counts: [{ objective: "good", at: now - daysAgo * day - 3_600_000, good, total: 1_000 }],
      },
    ]),
  )

const alerted = (id: string, name: string, changes: Partial<Alert>) =>
  Effect.gen(function* () {
    const alert = alertOf(id, {
      subject: {
        slo: { project: "shop", name },
        objective: "good",
        alertPolicy: { project: "shop", name: "secret-policy" },
      },
      conditions: ["secret condition"],
      ...changes,
    })
    yield* (yield* AlertStore).change("acme", { subject: alert.subject, id }, undefined, () =>
      Result.succeed({ put: alert, receipt: { alertId: id, isChanged: true, deliveries: [] } }),
    )
  })

const prepare = (slug: string) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const applied = yield* apply("acme", shop(slug))
    expect(applied.status, applied.text).toBe(200)
    for (const [name, daysAgo, good] of [
      ["checkout-ok", 0, 1_000],
      ["checkout-ok", 3, 960],
      ["checkout-ok", 5, 800],
      ["search-ok", 0, 1_000],
    ] as const) {
      yield* counted(name, daysAgo, good)
    }
  })

const componentsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<li>\n<h3>([^<]*)<\/h3>\n<p class="state (\w+)">/g)].map(([, name, state]) => [
      name,
      state,
    ]),
  )

describe("a status page", () => {
  it.effect("spec/status-pages §2: shows components, their days, and incidents, and nothing else", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      yield* alerted("a-1", "checkout-ok", { severity: "High", triggeredAt: now - 600_000 })
      yield* alerted("a-2", "search-ok", {
        severity: "High",
        status: "resolved",
        triggeredAt: now - 2 * day,
        resolvedAt: now - 2 * day + 60_000,
      })
      yield* alerted("a-3", "search-ok", { severity: "Low", triggeredAt: now - day, isSilenced: true })
      const page = yield* send("/status/shop")
      expect(page.status).toBe(200)
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
      expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(componentsOf(page.text)).toEqual({ Checkout: "outage", Mail: "none", Search: "operational" })
      expect(page.text).toContain("<h1>The &#60;Shop&#62;</h1>")
      expect(page.text).toContain("What you can &#38; cannot do.")
      expect(page.text).toContain("Checkout: 2 of 3 days with degraded performance or an outage")
      expect(page.text).toContain("<title>2026-03-28: Degraded performance, 96.000% good</title>")
      expect(page.text).toContain("<title>2026-03-26: Outage, 80.000% good</title>")
      expect(page.text).toContain("<title>2026-03-27: No data</title>")
      expect(page.text.match(/<rect /g)).toHaveLength(3 * 90)
      const incidents = [...page.text.matchAll(/<li>\n<h3>([^<]*)<\/h3>\n<p>([^<]*)<\/p>/g)]
      expect(incidents.map(([, title, what]) => [title, what])).toEqual([
        ["Checkout: Outage", "SLO &#60;checkout-ok&#62;"],
        ["Search: Outage", "SLO &#60;search-ok&#62;"],
      ])
      expect(page.text).not.toContain("secret")
      expect(page.text).not.toContain("acme")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: says which minutes of an incident are excluded from the figures", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      const minute = 60_000
      for (const [id, name, minutesAgo] of [
        ["a-1", "checkout-ok", 100],
        ["a-2", "search-ok", 200],
        ["a-3", "mail-ok", 300],
      ] as const) {
        yield* alerted(id, name, {
          severity: "High",
          status: "resolved",
          triggeredAt: now - minutesAgo * minute + 20_000,
          resolvedAt: now - (minutesAgo - 30) * minute,
        })
      }
      const excluding = (name: string, slo: string, minutesAgo: number, duration: string) => ({
        kind: "BudgetAdjustment",
        metadata: { name, project: "shop" },
        spec: {
          reason: "Secret reason",
          slos: [{ name: slo }],
          period: { startTime: new Date(now - minutesAgo * minute).toISOString(), duration },
        },
      })
      const applied = yield* apply("acme", [
        excluding("part", "checkout-ok", 90, "12m"),
        excluding("whole", "search-ok", 205, "2h"),
        {
          ...excluding("set", "mail-ok", 305, "2h"),
          spec: { ...excluding("set", "mail-ok", 305, "2h").spec, set: { good: 1, total: 1 } },
        },
      ])
      expect(applied.status, applied.text).toBe(200)
      const { text } = yield* send("/status/shop")
      const incidents = [...text.matchAll(/<li>\n<h3>(\w+): Outage<\/h3>[\s\S]*?<\/li>/g)]
      expect(
        incidents.map(([html, component]) => [
          component,
          /[^>]* excluded from the figures\./.exec(html)?.[0],
        ]),
      ).toEqual([
        ["Checkout", "12 minutes of it are excluded from the figures."],
        ["Search", "The whole incident is excluded from the figures."],
        ["Mail", undefined],
      ])
      expect(text).not.toContain("Secret")
      const feed = yield* send("/status/shop/feed.xml")
      expect(feed.text).toContain("UTC. The whole incident is excluded from the figures.</description>")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: shows the posts of incidents, and nothing else of them", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      yield* alerted("a-1", "checkout-ok", { severity: "High", triggeredAt: now - 3_600_000 })
      const change = (organization: string, path: string, body: object) =>
        Effect.gen(function* () {
          const answer = yield* send(`/api/incidents${path}`, {
            method: "POST",
            headers: { ...(yield* headersOf(organization)), "content-type": "application/json" },
            body: JSON.stringify(body),
          })
          expect(answer.status, answer.text).toBeLessThan(300)
          return JSON.parse(answer.text) as { readonly id: string }
        })
      for (const [organization, project, name] of [
        ["acme", "secret-project", "secret-service"],
        ["acme", "lab", "mail"],
        ["beta", "shop", "mail"],
      ] as const) {
        const elsewhere = yield* apply(organization, [
          { kind: "Project", metadata: { name: project } },
          { kind: "Service", metadata: { name, project } },
        ])
        expect(elsewhere.status, elsewhere.text).toBe(200)
      }
      const secret = { title: "Secret title", severity: "critical", owner: "secret-owner" }
      const services = [
        { project: "shop", name: "search" },
        { project: "secret-project", name: "secret-service" },
      ]
      const { id } = yield* change("acme", "", { ...secret, services, alerts: ["a-1"] })
      yield* change("acme", `/${id}/entries`, { kind: "note", text: "Secret note" })
      yield* change("acme", `/${id}/entries`, { kind: "task", text: "Secret task" })
      yield* change("acme", `/${id}/entries`, { kind: "link", url: "https://secret.example/" })
      yield* TestClock.adjust("1 minute")
      // Without posts, an incident is not public; nor is one of another organization or project, or without services.
      yield* change("acme", "", { ...secret, services: [{ project: "shop", name: "mail" }] })
      for (const [organization, others] of [
        ["beta", [{ project: "shop", name: "mail" }]],
        ["acme", [{ project: "lab", name: "mail" }]],
        ["acme", []],
      ] as const)
        yield* change(organization, "", { ...secret, services: others, post: "Secret post" })
      const before = yield* send("/status/shop")
      expect(before.text).not.toContain("Incident reports")
      expect(componentsOf(before.text)).toMatchObject({ Search: "operational", Mail: "none" })

      yield* change("acme", `/${id}/entries`, { kind: "post", text: "We <look>\ninto it." })
      yield* TestClock.adjust("1 minute")
      yield* change("acme", `/${id}/entries`, { kind: "post", status: "identified", text: "A disk & more." })
      yield* TestClock.adjust("1 minute")
      const page = yield* send("/status/shop")
      expect(componentsOf(page.text)).toMatchObject({ Search: "outage", Mail: "none" })
      expect(page.text).toContain("<h3>Search: Identified</h3>")
      expect(page.text).toMatch(
        /<strong>Identified<\/strong>[^]*<p class="text">A disk &#38; more\.<\/p>[^]*<strong>Investigating<\/strong>[^]*<p class="text">We &#60;look&#62;\ninto it\.<\/p>/,
      )
      const feed = yield* send("/status/shop/feed.xml")
      expect([...feed.text.matchAll(/<title>(.*)<\/title>/g)].map(([, title]) => title)).toEqual([
        "The &#60;Shop&#62; status",
        "Search: Identified",
        "Search: Investigating",
        "Checkout: Outage",
      ])
      expect(new Set(feed.text.match(/<guid .*<\/guid>/g)).size).toBe(3)
      for (const { text } of [page, feed]) {
        expect(text).not.toMatch(/secret/i)
        expect(text).not.toContain(id)
      }

      yield* change("acme", `/${id}`, { status: "resolved" })
      yield* TestClock.adjust("1 minute")
      const resolved = yield* send("/status/shop")
      expect(resolved.text).toContain("<h3>Search: Resolved</h3>")
      expect(componentsOf(resolved.text)).toMatchObject({ Search: "operational" })

      yield* change("acme", `/${id}/entries`, { kind: "post", text: "It works." })
      yield* change("acme", `/${id}`, { status: "monitoring" })
      yield* TestClock.adjust("1 minute")
      const opened = yield* send("/status/shop")
      expect(opened.text).toContain("<h3>Search: Monitoring</h3>")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: announces the minutes that named budget adjustments will exclude", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      const adjustment = (name: string, displayName: string | undefined, spec: object) => ({
        kind: "BudgetAdjustment",
        metadata: { name, project: "shop", displayName },
        spec: { reason: "Secret reason", slos: [{ name: "search-ok" }], ...spec },
      })
      const from = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
      const applied = yield* apply("acme", [
        adjustment("secret-1", "Database <move>", {
          slos: [{ name: "search-ok" }, { name: "checkout-ok" }],
          period: { startTime: from(24), duration: "2h" },
        }),
        adjustment("secret-2", "Switch replaced", { period: { startTime: from(-1), duration: "2h" } }),
        adjustment("secret-3", "Backups", {
          recurrence: {
            startTime: "2026-01-01 22:00:00",
            timeZone: "UTC",
            rrule: "FREQ=DAILY",
            duration: "1h",
          },
        }),
        adjustment("secret-4", undefined, { period: { startTime: from(24), duration: "2h" } }),
        adjustment("secret-5", "Secret past", { period: { startTime: from(-3), duration: "2h" } }),
        adjustment("secret-6", "Secret future", { period: { startTime: from(31 * 24), duration: "2h" } }),
        adjustment("secret-7", "Secret counts", {
          period: { startTime: from(1), duration: "2h" },
          set: { good: 1, total: 1 },
        }),
      ])
      expect(applied.status, applied.text).toBe(200)
      const { text } = yield* send("/status/shop")
      const [, section = ""] = /<h2>Planned maintenance<\/h2>([^]*?)<\/ol>/.exec(text) ?? []
      expect(
        [...section.matchAll(/<li>\n<h3>(.*)<\/h3>\n<p>(.*)<\/p>\n<p class="when">(.*)<\/p>/g)].map(
          ([, title, components, when = ""]) => [title, components, when.replaceAll(/<[^>]*>/g, "")],
        ),
      ).toEqual([
        ["Switch replaced", "Search", "In progress: 2026-03-31 11:00 UTC to 2026-03-31 13:00 UTC"],
        ["Backups", "Search", "2026-03-31 22:00 UTC to 2026-03-31 23:00 UTC"],
        ["Database &#60;move&#62;", "Checkout, Search", "2026-04-01 12:00 UTC to 2026-04-01 14:00 UTC"],
      ])
      const feed = yield* send("/status/shop/feed.xml")
      const itemsOf = (xml: string) =>
        [
          ...xml.matchAll(/<item>\n<title>(.*)<\/title>\n<description>(.*)<\/description>\n([^]*?)<\/item>/g),
        ].map(([, title, description, rest = ""]) => [title, description, rest.includes("<pubDate>")])
      expect(itemsOf(feed.text)).toEqual([
        [
          "Planned maintenance: Switch replaced",
          "Search. From 2026-03-31 11:00 UTC to 2026-03-31 13:00 UTC.",
          false,
        ],
        ["Planned maintenance: Backups", "Search. From 2026-03-31 22:00 UTC to 2026-03-31 23:00 UTC.", false],
        [
          "Planned maintenance: Database &#60;move&#62;",
          "Checkout, Search. From 2026-04-01 12:00 UTC to 2026-04-01 14:00 UTC.",
          false,
        ],
      ])
      expect(new Set(feed.text.match(/<guid .*<\/guid>/g)).size).toBe(3)
      for (const each of [text, feed.text]) expect(each).not.toMatch(/secret/i)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: announces maintenance that recurs without a gap once", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      const daily = (name: string, startTime: string, rrule: string, duration = "24h") => ({
        kind: "BudgetAdjustment",
        metadata: { name, project: "shop", displayName: name },
        spec: {
          reason: "Nights",
          slos: [{ name: "search-ok" }],
          recurrence: { startTime, timeZone: "UTC", rrule, duration },
        },
      })
      const applied = yield* apply("acme", [
        daily("long-ago", "2025-01-01 06:00:00", "FREQ=DAILY"),
        daily("begun", "2026-03-30 00:00:00", "FREQ=DAILY;UNTIL=20260403T000000Z"),
        daily("weekdays", "2026-04-06 00:00:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        daily("endless", "2026-04-20 00:00:00", "FREQ=DAILY"),
        daily("nightly", "2026-01-01 22:00:00", "FREQ=DAILY", "1h"),
      ])
      expect(applied.status, applied.text).toBe(200)
      const announced = Effect.map(send("/status/shop/feed.xml"), ({ text }) =>
        [
          ...text.matchAll(
            /<title>Planned maintenance: (.*)<\/title>\n<description>(.*)<\/description>[^]*?<guid[^>]*>(.*)<\/guid>/g,
          ),
        ].map(([, name, description, guid]) => ({ name, description, guid })),
      )
      const first = yield* announced
      expect(first.map(({ name, description }) => [name, description])).toEqual([
        ["long-ago", "Search. From 2025-01-01 06:00 UTC until further notice."],
        ["begun", "Search. From 2026-03-30 00:00 UTC to 2026-04-04 00:00 UTC."],
        ["nightly", "Search. From 2026-03-31 22:00 UTC to 2026-03-31 23:00 UTC."],
        ["weekdays", "Search. From 2026-04-06 00:00 UTC to 2026-04-11 00:00 UTC."],
        ["endless", "Search. From 2026-04-20 00:00 UTC until further notice."],
      ])
      yield* TestClock.adjust("2 days")
      const later = yield* announced
      const isAgain = ({ guid }: (typeof first)[number]) => first.every((each) => each.guid !== guid)
      expect(later.filter(isAgain).map(({ name }) => name)).toEqual(["nightly"])
      yield* TestClock.adjust("24 days")
      const last = yield* announced
      expect(last.filter(isAgain).map(({ name }) => name)).toEqual(["nightly", "weekdays"])
      expect(last.map(({ name }) => name)).toEqual(["long-ago", "endless", "nightly", "weekdays"])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: has the components of its definition, in their order", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      const components = [{ service: "search", displayName: "Find" }, { service: "checkout" }]
      yield* apply("acme", [project({ slug: "shop-2", title: "All good?", components })])
      const page = yield* send("/status/shop-2")
      expect(Object.keys(componentsOf(page.text))).toEqual(["Find", "Checkout"])
      expect(page.text).toContain("<h1>All good?</h1>")
      expect(page.text).toContain("All components are operational")
      expect((yield* send("/status/shop")).status).toBe(404)
      const withMail = [...components, { service: "mail" }]
      yield* apply("acme", [project({ slug: "shop-3", title: "And mail?", components: withMail })])
      expect((yield* send("/status/shop-3")).text).toContain(
        "No known problems; some components have no data",
      )
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §2: shows no internal names and IDs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const named = (document: { readonly metadata: object }, name: string, of?: string) => ({
        ...document,
        metadata: { name, ...(of !== undefined && { project: of }) },
      })
      const documents = [
        named(project({ slug: "bare" }), "internal-p"),
        named(service("", ""), "internal-s", "internal-p"),
        named(slo("", "internal-s"), "internal-o", "internal-p"),
      ]
      expect((yield* apply("acme", documents)).status).toBe(200)
      const subject = {
        slo: { project: "internal-p", name: "internal-o" },
        objective: "good",
        alertPolicy: { project: "internal-p", name: "secret-policy" },
      }
      yield* alerted("JIRA-4711", "internal-o", { subject, severity: "High", triggeredAt: now - 600_000 })
      const page = yield* send("/status/bare")
      const feed = yield* send("/status/bare/feed.xml")
      expect(page.text).toContain("<h1>Status</h1>")
      expect(page.text).toContain("<h3>Component 1</h3>")
      expect(page.text).toContain("<h3>Component 1: Outage</h3>")
      expect(feed.text).toContain("<title>Component 1: Outage</title>")
      expect((yield* send("/status/bare?lang=de")).text).toContain("<h3>Komponente 1: Ausfall</h3>")
      expect(feed.text).toMatch(/<guid isPermaLink="false">[0-9a-f]{32}<\/guid>/)
      for (const { text } of [page, feed]) expect(text).not.toMatch(/internal|JIRA|secret/)
      expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §3: has a feed of its incidents", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      yield* alerted("a-1", "checkout-ok", { severity: "Medium", triggeredAt: now - 600_000 })
      const feed = yield* send("/status/shop/feed.xml")
      expect(feed.headers.get("content-type")).toBe("application/rss+xml; charset=utf-8")
      expect(feed.text).toContain("<title>Checkout: Degraded performance</title>")
      expect(feed.text).toContain("<description>SLO &#60;checkout-ok&#62;. Ongoing.</description>")
      expect(feed.text).toContain("<pubDate>Tue, 31 Mar 2026 11:50:00 GMT</pubDate>")
      expect(feed.text).toContain("<link>http://localhost:8080/status/shop</link>")
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §3: is read once a minute, and has an ETag", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      const first = yield* send("/status/shop")
      expect(first.headers.get("cache-control")).toBe("public, max-age=60")
      yield* alerted("a-1", "checkout-ok", { severity: "High", triggeredAt: now })
      yield* TestClock.adjust(59_999)
      const etag = first.headers.get("etag") ?? ""
      const second = yield* send("/status/shop", { headers: { "if-none-match": etag } })
      expect(second.status).toBe(304)
      yield* TestClock.adjust(1)
      const third = yield* send("/status/shop", { headers: { "if-none-match": etag } })
      expect(third.status).toBe(200)
      expect(componentsOf(third.text)).toMatchObject({ Checkout: "outage" })
      const missing = yield* send("/status/none")
      expect([missing.status, missing.headers.get("content-type")]).toEqual([404, "application/json"])
      const inBrowser = yield* send("/status/%3Cb%3E", { headers: { accept: "text/html,*/*;q=0.8" } })
      expect(inBrowser.status).toBe(404)
      expect(inBrowser.text).toContain("<p>There is no status page at /status/&#60;b&#62;.")
      expect((yield* send("/status/shop", { method: "POST" })).status).toBe(405)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/status-pages §3: is in the language that is asked for, else in one that the client prefers",
    () =>
      Effect.gen(function* () {
        yield* prepare("shop")
        yield* alerted("a-1", "checkout-ok", {
          severity: "High",
          status: "resolved",
          triggeredAt: now - 2 * day,
          resolvedAt: now - 2 * day + 60_000,
        })
        const languageOf = (path: string, accepted?: string) =>
          Effect.map(
            send(path, accepted === undefined ? {} : { headers: { "accept-language": accepted } }),
            (page) => {
              expect(page.headers.get("vary")?.split(", ")).toContain("accept-language")
              expect(page.text).toContain(`<html lang="${page.headers.get("content-language")}">`)
              return page.headers.get("content-language")
            },
          )
        for (const [path, accepted, language] of [
          ["/status/shop", undefined, "en"],
          ["/status/shop", "de", "de"],
          ["/status/shop", "fr, de-AT;q=0.9, en;q=0.8", "de"],
          ["/status/shop", "en-GB, de;q=0.9", "en"],
          ["/status/shop", "de;q=0, fr", "en"],
          ["/status/shop", "*", "en"],
          ["/status/shop?lang=de", "en", "de"],
          ["/status/shop?lang=en", "de", "en"],
          ["/status/shop?lang=xx", "de", "de"],
          ["/status/shop?lang=toString", undefined, "en"],
        ] as const)
          expect([path, accepted, yield* languageOf(path, accepted)]).toEqual([path, accepted, language])

        const english = yield* send("/status/shop")
        const german = yield* send("/status/shop?lang=de")
        expect(english.text).toContain('<a href="?lang=de" lang="de" hreflang="de">Deutsch</a>')
        expect(german.text).toContain('<a href="?lang=en" lang="en" hreflang="en">English</a>')
        expect(german.text).toContain('<a href="/status/shop/subscribe?lang=de">')
        expect(german.text).toContain("Checkout: 2 von 3 Tagen mit Einschränkung oder Ausfall")
        expect(german.text).toContain("<title>2026-03-28: Eingeschränkt, 96,000\u00a0% gut</title>")
        expect(german.text).toContain("<h3>Checkout: Ausfall</h3>")
        // What people wrote stays as it is.
        expect(german.text).toContain("What you can &#38; cannot do.")
        for (const text of ["Operational", "Components", "Detected", "ago", "Subscribe", "Degraded"])
          expect(german.text).not.toContain(text)

        const etag = german.headers.get("etag") ?? ""
        const known = { "if-none-match": etag }
        expect((yield* send("/status/shop", { headers: known })).status).toBe(200)
        const same = yield* send("/status/shop", { headers: { ...known, "accept-language": "de" } })
        expect([same.status, same.headers.get("content-language")]).toEqual([304, "de"])
        expect(same.headers.get("vary")).toContain("accept-language")

        const form = yield* send("/status/shop/subscribe?lang=de")
        expect(form.text).toContain('<html lang="de">')
        expect(form.text).toContain('<a href="/status/shop?lang=de">Statusseite</a>')
        const rejected = yield* send("/status/shop/subscribe?lang=de", {
          method: "POST",
          body: new URLSearchParams({ url: "nowhere" }),
        })
        expect(rejected.status).toBe(400)
        expect(rejected.text).toContain('Die URL wurde abgelehnt: <span lang="en">')
        const unknown = yield* send("/status/shop/subscribe?lang=de", {
          method: "POST",
          body: new URLSearchParams({ constructor: "1" }),
        })
        expect([unknown.status, unknown.text.includes("constructor")]).toEqual([400, true])
        const accept = { accept: "text/html", "accept-language": "de" }
        const missing = yield* send("/status/none", { headers: accept })
        expect(missing.text).toContain("<h1>Statusseite nicht gefunden</h1>")
        const link = yield* send("/status-subscription/confirm?token=forged", { headers: accept })
        expect([link.status, link.headers.get("content-language")]).toEqual([404, "de"])
        expect(link.text).toContain("<h1>Abonnement nicht gefunden</h1>")
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §1: keeps its slug from other projects and organizations", () =>
    Effect.gen(function* () {
      yield* prepare("shop")
      for (const [organization, name] of [
        ["acme", "other"],
        ["beta", "shop"],
      ] as const) {
        const taken = yield* apply(organization, [project({ slug: "shop" }, name)])
        expect(taken.status).toBe(400)
        expect(errorsOf(taken).map(({ code, source }) => [source?.propertyName, code])).toEqual([
          ["spec.statusPage.slug", "duplicate"],
        ])
      }
      const both = yield* apply("acme", [project({ slug: "twice" }, "a"), project({ slug: "twice" }, "b")])
      expect(errorsOf(both).map(({ code, source }) => [source?.propertyName, code])).toEqual([
        ["[1].spec.statusPage.slug", "duplicate"],
      ])
      expect((yield* apply("acme", [project({ slug: "shop", title: "Same" })])).status).toBe(200)
      expect((yield* apply("acme", [project(undefined)])).status).toBe(200)
      expect((yield* apply("beta", [project({ slug: "shop" })])).status).toBe(200)
    }).pipe(Effect.provide(apiServer)),
  )
})

describe("the status pages of a process", () => {
  const publish = (organization: string, slug: string, name = "shop") =>
    Effect.gen(function* () {
      const applied = yield* apply(organization, [project({ slug }, name)])
      expect(applied.status, applied.text).toBe(200)
    })

  /** Counts what is read of the stores; pages are read once `gate` is open. */
  const counting = Effect.gen(function* () {
    const definitions = yield* DefinitionStore
    const slos = yield* SloStore
    const lookedUp: Array<string> = []
    const reading: Array<string> = []
    let finished = 0
    let gate = yield* Deferred.make<void>()
    yield* Deferred.succeed(gate, undefined)
    const read = (slug: string) =>
      statusPageOf(slug).pipe(
        Effect.provideService(DefinitionStore, countingDefinitions),
        Effect.provideService(SloStore, countingSlos),
        Effect.provideService(StatusPageTurns, turns),
      )
    const turns = makeTurns(statusPageTurns)
    const countingDefinitions = DefinitionStore.of({
      ...definitions,
      findStatusPage: (slug) =>
        Effect.suspend(() => {
          lookedUp.push(slug)
          return definitions.findStatusPage(slug)
        }),
    })
    const countingSlos = SloStore.of({
      ...slos,
      page: (organization, ...rest) =>
        Effect.suspend(() => {
          reading.push(organization)
          return Effect.andThen(Deferred.await(gate), slos.page(organization, ...rest))
        }).pipe(Effect.tap(() => Effect.sync(() => finished++))),
    })
    return {
      lookedUp,
      reading,
      read,
      finished: () => finished,
      close: Effect.map(Deferred.make<void>(), (closed) => {
        gate = closed
      }),
      open: Effect.suspend(() => Deferred.succeed(gate, undefined)),
    }
  })

  it.effect("spec/status-pages §3: are kept whatever unknown slugs are asked for", () =>
    Effect.gen(function* () {
      yield* publish("acme", "shop")
      const { lookedUp, reading, read } = yield* counting
      yield* read("shop")
      for (let index = 0; index < 1_100; index++) {
        expect(yield* Effect.flip(read(`unknown-${index}`))).toMatchObject({ _tag: "StatusPageNotFound" })
      }
      yield* Effect.flip(read("unknown-1099"))
      yield* read("shop")
      expect(reading).toHaveLength(1)
      expect(lookedUp).toHaveLength(1_101)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §3: are not looked up by a text that is no slug", () =>
    Effect.gen(function* () {
      const { lookedUp, read } = yield* counting
      for (const text of ["", "<b>", "Shop", "x".repeat(64), "../shop"]) {
        expect(yield* Effect.flip(read(text))).toMatchObject({ _tag: "StatusPageNotFound" })
      }
      expect(lookedUp).toEqual([])
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect(
    "spec/status-pages §3: are read one at a time for an organization, and two at a time for all",
    () =>
      Effect.gen(function* () {
        for (const organization of ["acme", "beta", "gamma"]) {
          yield* publish(organization, `${organization}-1`)
          yield* publish(organization, `${organization}-2`, "lab")
        }
        const { reading, read, close, open } = yield* counting
        yield* close
        const slugs = ["acme-1", "acme-2", "beta-1", "gamma-1", "beta-2", "gamma-2"]
        const all = yield* Effect.forkChild(Effect.all(slugs.map(read), { concurrency: "unbounded" }))
        yield* Effect.repeat(Effect.yieldNow, { times: 100 })
        expect([reading.length, new Set(reading).size]).toEqual([2, 2])
        yield* open
        expect((yield* Fiber.join(all)).map(({ slug }) => slug)).toEqual(slugs)
        expect(reading).toHaveLength(6)
      }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §3: are served as they were while they are read again", () =>
    Effect.gen(function* () {
      yield* publish("acme", "shop")
      const { read, close, open, finished } = yield* counting
      const first = yield* read("shop")
      yield* TestClock.adjust("1 minute")
      yield* close
      const later = yield* Effect.forkChild(read("shop"))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(later)).toBe(first)
      yield* open
      yield* Effect.repeat(Effect.yieldNow, { until: () => finished() === 2 })
      expect(yield* read("shop")).not.toBe(first)
    }).pipe(Effect.provide(apiServer)),
  )

  it.effect("spec/status-pages §3: are not served any more once they are not published", () =>
    Effect.gen(function* () {
      yield* publish("acme", "shop")
      const { read } = yield* counting
      yield* read("shop")
      yield* apply("acme", [project(undefined)])
      yield* TestClock.adjust("1 minute")
      expect(yield* Effect.flip(read("shop"))).toMatchObject({ _tag: "StatusPageNotFound" })
    }).pipe(Effect.provide(apiServer)),
  )
})
