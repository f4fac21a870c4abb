import {
  announcedMaintenance,
  announcedPost,
  type ComponentState,
  type ExcludedMinutes,
  incidentStatusNames,
  outageBurnRate,
  type PlannedMaintenance,
  type PostedIncident,
  type PublishedComponent,
  type PublishedDay,
  type PublishedIncident,
  type PublishedPage,
  type PublishedPost,
  publicId,
  statusPagePath,
  untilNotice,
} from "@tocsin/domain/features/status-page"
import { statusPageDays } from "@tocsin/domain/limits"
import { createHash } from "node:crypto"
import { sha256 } from "../crypto/HashNode.ts"

/** Where the feed of a page is, below the base URL. */
export const statusFeedPath = (slug: string): string => `${statusPagePath(slug)}/feed.xml`

/** Where people subscribe to a page. */
export const subscribePath = (slug: string): string => `${statusPagePath(slug)}/subscribe`

/** Writes a page without scripts and links to other files. */
export const statusPageToHtml = (page: PublishedPage): string => {
  const { slug, title, description, at, state, components, incidents, posted, maintenance } = page
  const feed = `<link rel="alternate" type="application/rss+xml" title="${escaped(title)} incidents" href="${statusFeedPath(slug)}">`
  return documentOf(
    `${escaped(statusOf(title))}: ${summaryOf(page)}`,
    feed,
    `<main>
<h1>${escaped(title)}</h1>
${description === undefined ? "" : `<p>${escaped(description)}</p>`}
<p class="summary ${classOf(state)}"><span aria-hidden="true">${signOf(state)}</span> ${summaryOf(page)}</p>
${maintenance.length === 0 ? "" : `<h2>Planned maintenance</h2>\n<ol class="incidents">${maintenance.map((each) => maintenanceHtml(each, at)).join("")}</ol>`}
${posted.length === 0 ? "" : `<h2>Incident reports</h2>\n<ol class="incidents">${posted.map(postedHtml).join("")}</ol>`}
<h2>Components</h2>
${components.length === 0 ? "<p>No components are published yet.</p>" : `<ul class="components">${components.map(componentHtml).join("")}</ul>`}
<h2>Detected incidents of the last ${statusPageDays} days</h2>
${incidents.length === 0 ? `<p>None.</p>` : `<ol class="incidents">${incidents.map(incidentHtml).join("")}</ol>`}
</main>
<footer>
<p>As of ${timeHtml(at)}. <a href="${subscribePath(slug)}">Subscribe to updates</a> · <a href="${statusFeedPath(slug)}">RSS feed</a></p>
<p>A day is degraded if an objective missed its target, and an outage if it had at least ${outageBurnRate} times as many bad events as the target allows. Silenced alerts are not incidents, and do not change the status of a component.</p>
</footer>`,
  )
}

/** What browsers show where no page is published. */
export const statusPageNotFoundHtml = (slug: string): string =>
  documentOf(
    "Status page not found",
    "",
    `<main>
<h1>Status page not found</h1>
<p>There is no status page at ${escaped(statusPagePath(slug))}. Check the address, or ask the person who sent you the link.</p>
</main>`,
  )

const documentOf = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`

/** Writes the planned maintenance, without a time of publication, and then the posts and the detected incidents, latest first, as RSS 2.0. */
export const statusPageToFeed = (page: PublishedPage, baseUrl: string): string => {
  const { slug, title, at, incidents, posted, maintenance } = page
  const link = baseUrl + statusPagePath(slug)
  const planned = maintenance.map((each) => ({
    ...announcedMaintenance(sha256, slug, each, timeText),
    at: undefined,
  }))
  const happened = [
    ...posted.flatMap((incident) =>
      incident.posts.map((post) => ({ ...announcedPost(sha256, slug, incident, post), at: post.at })),
    ),
    ...incidents.map(({ id, component, title: what, state, startedAt, endedAt, excluded }) => ({
      heading: `${component}: ${stateNames[state]}`,
      text: `${what === undefined ? "" : `${what}. `}${endedAt === undefined ? "Ongoing." : `Resolved at ${timeText(endedAt)}.`} ${excludedText(excluded)}`.trimEnd(),
      id: `${publicId(sha256, slug, id)}${endedAt === undefined ? "" : "-resolved"}`,
      at: endedAt ?? startedAt,
    })),
  ]
    .toSorted((a, b) => b.at - a.at)
    .slice(0, feedItemsMax - planned.length)
  const items = [...planned, ...happened].map(
    (item) => `<item>
<title>${escaped(item.heading)}</title>
<description>${escaped(item.text)}</description>
<link>${escaped(link)}</link>
<guid isPermaLink="false">${item.id}</guid>${item.at === undefined ? "" : `\n<pubDate>${new Date(item.at).toUTCString()}</pubDate>`}
</item>`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${escaped(statusOf(title))}</title>
<link>${escaped(link)}</link>
<atom:link href="${escaped(baseUrl + statusFeedPath(slug))}" rel="self" type="application/rss+xml"/>
<description>${escaped(`Incidents of ${title}`)}</description>
<lastBuildDate>${new Date(at).toUTCString()}</lastBuildDate>
${items.join("\n")}
</channel>
</rss>
`
}

/** Most items of a feed. */
const feedItemsMax = 100

/** What a page of a title is: a title often says itself that it is of the status. */
const statusOf = (title: string): string => (/\bstatus$/i.test(title) ? title : `${title} status`)

const stateNames: Readonly<Record<ComponentState, string>> = {
  operational: "Operational",
  degraded: "Degraded performance",
  outage: "Outage",
}

const nameOf = (state: ComponentState | undefined): string =>
  state === undefined ? "No data" : stateNames[state]

const summaryOf = ({ state, components }: PublishedPage): string => {
  if (state !== "operational") return nameOf(state)
  return components.every((each) => each.state === "operational")
    ? "All components are operational"
    : "No known problems; some components have no data"
}

const classOf = (state: ComponentState | undefined): string => state ?? "none"

const signs: Readonly<Record<ComponentState, string>> = { operational: "✓", degraded: "!", outage: "✕" }

const signOf = (state: ComponentState | undefined): string => (state === undefined ? "–" : signs[state])

const componentHtml = ({ name, state, days }: PublishedComponent): string => {
  const bad = days.filter(({ state }) => state === "degraded" || state === "outage").length
  const measured = days.filter(({ reliability }) => reliability !== undefined).length
  const summary =
    measured === 0
      ? "No data"
      : `${bad} of ${measured} ${measured === 1 ? "day" : "days"} with degraded performance or an outage`
  return `<li>
<h3>${escaped(name)}</h3>
<p class="state ${classOf(state)}"><span aria-hidden="true">${signOf(state)}</span> ${nameOf(state)}</p>
<svg viewBox="0 0 ${days.length * 10 - 2} 32" preserveAspectRatio="none" role="img" aria-label="${escaped(`${name}: ${summary}`)}">${days.map(dayHtml).join("")}</svg>
<p class="days"><span>${statusPageDays} days ago</span><span>Today</span><span class="sum">${summary}</span></p>
</li>`
}

/** A worse day has a lower bar, so that nothing depends on its color. */
const barHeights: Readonly<Record<ComponentState, number>> = { operational: 32, degraded: 22, outage: 12 }

const dayHtml = ({ at, state, reliability }: PublishedDay, index: number): string => {
  const height = state === undefined ? 4 : barHeights[state]
  const share = reliability === undefined ? "" : `, ${percent(reliability)} good`
  return `<rect class="${classOf(state)}" x="${index * 10}" y="${32 - height}" width="8" height="${height}"><title>${new Date(at).toISOString().slice(0, 10)}: ${nameOf(state)}${share}</title></rect>`
}

/** Rounded down, so that nothing bad is hidden. */
const percent = (share: number): string => `${(Math.floor(share * 100_000) / 1_000).toFixed(3)}%`

/** That minutes of an incident do not count, as a sentence; empty if all do. */
const excludedText = (excluded: ExcludedMinutes | undefined): string => {
  if (excluded === undefined) return ""
  const { minutes, areAll } = excluded
  if (areAll) return "The whole incident is excluded from the figures."
  return `${minutes.toLocaleString("en")} ${minutes === 1 ? "minute of it is" : "minutes of it are"} excluded from the figures.`
}

const incidentHtml = (incident: PublishedIncident): string => {
  const { component, title, state, startedAt, endedAt } = incident
  const excluded = excludedText(incident.excluded)
  return `<li>
<h3>${escaped(component)}: ${stateNames[state]}</h3>
${title === undefined ? "" : `<p>${escaped(title)}</p>`}
<p class="when">${rangeHtml(startedAt, endedAt)}</p>${excluded === "" ? "" : `\n<p class="when">${excluded}</p>`}
</li>`
}

const rangeHtml = (from: number, to: number | undefined): string =>
  `${timeHtml(from)} to ${to === undefined ? "now" : timeHtml(to)}`

const postedHtml = ({ components, status, startedAt, resolvedAt, posts }: PostedIncident): string => `<li>
<h3>${escaped(components.join(", "))}: ${incidentStatusNames[status]}</h3>
<p class="when">${rangeHtml(startedAt, resolvedAt)}</p>
<ol class="posts">${posts.map(postHtml).join("")}</ol>
</li>`

const postHtml = ({ status, text, at }: PublishedPost): string => `<li>
<p><strong>${incidentStatusNames[status]}</strong> <span class="when">${timeHtml(at)}</span></p>
<p class="text">${escaped(text)}</p>
</li>`

const maintenanceHtml = ({ title, components, from, to }: PlannedMaintenance, now: number): string => `<li>
<h3>${escaped(title)}</h3>
<p>${escaped(components.join(", "))}</p>
<p class="when">${from <= now ? "In progress: " : ""}${to === undefined ? `${timeHtml(from)} ${untilNotice}` : rangeHtml(from, to)}</p>
</li>`

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`

const timeHtml = (ms: number): string =>
  `<time datetime="${new Date(ms).toISOString()}">${timeText(ms)}</time>`

const escaped = (text: string): string =>
  text.replaceAll(
    // oxlint-disable-next-line no-control-regex -- XML has no other control characters
    /[&<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu,
    (character) => entities[character] ?? "\ufffd",
  )

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

const style = `
:root { color-scheme: light dark; --text: #16192b; --dim: #565b76; --page: #f5f6fa; --card: #fff; --line: #d9dbe6; --good: #1f7a4d; --warn: #8a5a00; --bad: #b3261e; --bar-good: #2f9e63; --bar-warn: #d99a1c; --bar-bad: #d1453b; --bar-none: #c9ccd9; }
@media (prefers-color-scheme: dark) { :root { --text: #eceef8; --dim: #a9aec6; --page: #11131c; --card: #1a1d2a; --line: #343849; --good: #6fd6a0; --warn: #f0c265; --bad: #ff9d94; --bar-none: #444960; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0 auto; max-width: 52rem; padding: 2rem 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.8rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 0; }
.summary { font-size: 1.2rem; font-weight: 600; padding: 1rem; border: 1px solid var(--line); border-inline-start: .4rem solid currentColor; border-radius: .5rem; background: var(--card); }
h1, h3, p { unicode-bidi: plaintext; }
ul, ol { list-style: none; padding: 0; margin: 0; }
li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin-block-end: .75rem; }
.components li { display: grid; grid-template-columns: minmax(0, 1fr) fit-content(50%); gap: .5rem 1rem; }
.state { margin: 0; font-weight: 600; text-align: end; }
.operational { color: var(--good); fill: var(--bar-good); } .degraded { color: var(--warn); fill: var(--bar-warn); } .outage { color: var(--bad); fill: var(--bar-bad); } .none { color: var(--dim); fill: var(--bar-none); }
svg { grid-column: 1 / -1; width: 100%; height: 2rem; display: block; }
.days { grid-column: 1 / -1; display: grid; grid-template-columns: 1fr 1fr; margin: 0; color: var(--dim); font-size: .85rem; }
.days :nth-child(2) { text-align: end; } .sum { grid-column: 1 / -1; text-align: center; }
.posts li { background: none; border: 0; border-block-start: 1px solid var(--line); border-radius: 0; padding: .5rem 0 0; margin-block: .75rem 0; }
.text { white-space: pre-line; overflow-wrap: anywhere; }
.incidents p { margin: .25rem 0 0; } .when, footer { color: var(--dim); font-size: .9rem; }
a { color: inherit; }
`

/** Allows the page its style and nothing else. */
export const statusPagePolicy = [
  "default-src 'none'",
  "img-src data:",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")
