import {
  announcedMaintenance,
  announcedPost,
  type ComponentName,
  type ComponentState,
  componentText,
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
} from "@tocsin/domain/features/status-page"
import { createHash } from "node:crypto"
import { sha256 } from "../crypto/HashNode.ts"
import { escaped } from "../frame/Escaped.ts"
import { inLanguage, languageLinks, type StatusPageTexts, statusPageTexts } from "./StatusPageTexts.ts"

/** Where the feed of a page is, below the base URL. */
export const statusFeedPath = (slug: string): string => `${statusPagePath(slug)}/feed.xml`

/** Where people subscribe to a page. */
export const subscribePath = (slug: string): string => `${statusPagePath(slug)}/subscribe`

/** Writes a page without scripts and links to other files. */
export const statusPageToHtml = (page: PublishedPage, texts: StatusPageTexts): string => {
  const { slug, title, description, at, state, components, incidents, posted, maintenance } = page
  const { en } = statusPageTexts
  const feed = `<link rel="alternate" type="application/rss+xml" hreflang="${en.language}" title="${en.nameOf(escaped(title))}" href="${statusFeedPath(slug)}">`
  const summary = summaryOf(page, texts)
  return documentOf(
    texts,
    `${texts.nameOf(escaped(title))}: ${summary}`,
    feed,
    `<main>
<h1>${escaped(title)}</h1>
${description === undefined ? "" : `<p>${escaped(description)}</p>`}
<p class="summary ${classOf(state)}"><span aria-hidden="true">${signOf(state)}</span> ${summary}</p>
${maintenance.length === 0 ? "" : `<h2>${texts.plannedMaintenance}</h2>\n<ol class="incidents">${maintenance.map((each) => maintenanceHtml(each, at, texts)).join("")}</ol>`}
${posted.length === 0 ? "" : `<h2>${texts.incidentReports}</h2>\n<ol class="incidents">${posted.map((each) => postedHtml(each, texts)).join("")}</ol>`}
<h2>${texts.components}</h2>
${components.length === 0 ? `<p>${texts.noComponents}</p>` : `<ul class="components">${components.map((each) => componentHtml(each, texts)).join("")}</ul>`}
<h2>${texts.detectedIncidents}</h2>
${incidents.length === 0 ? `<p>${texts.noIncidents}</p>` : `<ol class="incidents">${incidents.map((each) => incidentHtml(each, texts)).join("")}</ol>`}
</main>
<footer>
<p>${texts.asOf(timeHtml(at))} <a href="${inLanguage(subscribePath(slug), texts)}">${texts.subscribe}</a> · <a href="${statusFeedPath(slug)}">${texts.feed}</a> · ${languageLinks(texts)}</p>
<p>${texts.stateRules(outageBurnRate)}</p>
</footer>`,
  )
}

/** What browsers show where no page is published. */
export const statusPageNotFoundHtml = (slug: string, texts: StatusPageTexts): string =>
  documentOf(
    texts,
    texts.notFound,
    "",
    `<main>
<h1>${texts.notFound}</h1>
<p>${texts.notFoundAt(escaped(statusPagePath(slug)))}</p>
</main>`,
  )

const documentOf = (
  { language }: StatusPageTexts,
  title: string,
  head: string,
  body: string,
): string => `<!doctype html>
<html lang="${language}">
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

/** Writes the planned maintenance, without a time of publication, and then the posts and the detected incidents, latest first, as RSS 2.0 in English. */
export const statusPageToFeed = (page: PublishedPage, baseUrl: string): string => {
  const { slug, title, at, incidents, posted, maintenance } = page
  const texts = statusPageTexts.en
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
      heading: `${componentText(component)}: ${texts.states[state]}`,
      text: `${what === undefined ? "" : `${what}. `}${endedAt === undefined ? "Ongoing." : `Resolved at ${timeText(endedAt)}.`} ${excluded === undefined ? "" : texts.excluded(excluded)}`.trimEnd(),
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
<title>${texts.nameOf(escaped(title))}</title>
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

const nameOf = (state: ComponentState | undefined, { states, noData }: StatusPageTexts): string =>
  state === undefined ? noData : states[state]

const summaryOf = ({ state, components }: PublishedPage, texts: StatusPageTexts): string => {
  if (state !== "operational") return nameOf(state, texts)
  return components.every((each) => each.state === "operational")
    ? texts.allOperational
    : texts.someWithoutData
}

const classOf = (state: ComponentState | undefined): string => state ?? "none"

const signs: Readonly<Record<ComponentState, string>> = { operational: "✓", degraded: "!", outage: "✕" }

const signOf = (state: ComponentState | undefined): string => (state === undefined ? "–" : signs[state])

const componentHtml = ({ name, state, days }: PublishedComponent, texts: StatusPageTexts): string => {
  const bad = days.filter(({ state }) => state === "degraded" || state === "outage").length
  const measured = days.filter(({ reliability }) => reliability !== undefined).length
  const shown = nameHtml(name, texts)
  const summary = measured === 0 ? texts.noData : texts.badDays(bad, measured)
  return `<li>
<h3>${shown}</h3>
<p class="state ${classOf(state)}"><span aria-hidden="true">${signOf(state)}</span> ${nameOf(state, texts)}</p>
<svg viewBox="0 0 ${days.length * 10 - 2} 32" preserveAspectRatio="none" role="img" aria-label="${shown}: ${summary}">${days.map((day, index) => dayHtml(day, index, texts)).join("")}</svg>
<p class="days"><span>${texts.firstDay}</span><span>${texts.today}</span><span class="sum">${summary}</span></p>
</li>`
}

/** A worse day has a lower bar, so that nothing depends on its color. */
const barHeights: Readonly<Record<ComponentState, number>> = { operational: 32, degraded: 22, outage: 12 }

const dayHtml = ({ at, state, reliability }: PublishedDay, index: number, texts: StatusPageTexts): string => {
  const height = state === undefined ? 4 : barHeights[state]
  const share = reliability === undefined ? "" : `, ${texts.goodShare(percent(reliability))}`
  return `<rect class="${classOf(state)}" x="${index * 10}" y="${32 - height}" width="8" height="${height}"><title>${new Date(at).toISOString().slice(0, 10)}: ${nameOf(state, texts)}${share}</title></rect>`
}

/** Rounded down, so that nothing bad is hidden. */
const percent = (share: number): string => (Math.floor(share * 100_000) / 1_000).toFixed(3)

const nameHtml = (name: ComponentName, { componentAt }: StatusPageTexts): string =>
  typeof name === "number" ? componentAt(name) : escaped(name)

const namesHtml = (names: ReadonlyArray<ComponentName>, texts: StatusPageTexts): string =>
  names.map((name) => nameHtml(name, texts)).join(", ")

const incidentHtml = (incident: PublishedIncident, texts: StatusPageTexts): string => {
  const { component, title, state, startedAt, endedAt, excluded } = incident
  return `<li>
<h3>${nameHtml(component, texts)}: ${texts.states[state]}</h3>
${title === undefined ? "" : `<p>${escaped(title)}</p>`}
<p class="when">${rangeHtml(startedAt, endedAt, texts)}</p>${excluded === undefined ? "" : `\n<p class="when">${texts.excluded(excluded)}</p>`}
</li>`
}

const rangeHtml = (from: number, to: number | undefined, { range }: StatusPageTexts): string =>
  range(timeHtml(from), to === undefined ? undefined : timeHtml(to))

const postedHtml = (incident: PostedIncident, texts: StatusPageTexts): string => {
  const { components, status, startedAt, resolvedAt, posts } = incident
  return `<li>
<h3>${namesHtml(components, texts)}: ${texts.incidentStatuses[status]}</h3>
<p class="when">${rangeHtml(startedAt, resolvedAt, texts)}</p>
<ol class="posts">${posts.map((post) => postHtml(post, texts)).join("")}</ol>
</li>`
}

const postHtml = ({ status, text, at }: PublishedPost, texts: StatusPageTexts): string => `<li>
<p><strong>${texts.incidentStatuses[status]}</strong> <span class="when">${timeHtml(at)}</span></p>
<p class="text">${escaped(text)}</p>
</li>`

const maintenanceHtml = (planned: PlannedMaintenance, now: number, texts: StatusPageTexts): string => {
  const { title, components, from, to } = planned
  const when = to === undefined ? `${timeHtml(from)} ${texts.untilNotice}` : rangeHtml(from, to, texts)
  return `<li>
<h3>${escaped(title)}</h3>
<p>${namesHtml(components, texts)}</p>
<p class="when">${from <= now ? `${texts.inProgress}: ` : ""}${when}</p>
</li>`
}

const timeText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`

const timeHtml = (ms: number): string =>
  `<time datetime="${new Date(ms).toISOString()}">${timeText(ms)}</time>`

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
footer { margin-block-start: 2rem; } .incidents p { margin: .25rem 0 0; } .when, footer { color: var(--dim); font-size: .9rem; }
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
