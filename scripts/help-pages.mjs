// Writes the pages of the documentation site: the documents of the repository, with links between pages, and those that
// are generated from the code.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, posix } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Words by which people look for a page that does not have them. */
const keywords = {
  "guides/templates.md": "Slack, Microsoft Teams, Discord, PagerDuty, Opsgenie, message format, payload",
  "guides/install.md": "TLS certificate, HTTPS, Docker, Kubernetes, Helm, systemd, port",
  "commands/credentials.md": "add user, invite, password, API key, login, create user, role",
  "commands/keys.md": "rotate signing key, rotate master key, lost master key",
  "guides/prometheus.md":
    "rate vs increase, PromQL, Grafana, Mimir, Thanos, latency SLO, histogram, p99, percentile",
  "guides/slos.md":
    "budget negative, overspent, over budget, error budget remaining below zero, choose a target, glossary, SLI, what is an SLO, what is an error budget, what is a burn rate",
  "guides/incidents.md":
    "outage, post-mortem, postmortem, retrospective, timeline, subscribe to status page, email subscribers, unsubscribe",
  "guides/alerting.md":
    "mute, snooze, maintenance window, paging, on call, flapping, heartbeat, watchdog, who was paged",
  "guides/delivery.md":
    "webhook not received, retry, missing notification, ECONNREFUSED, connection refused, certificate error, 401, 403, webhook timeout, retry schedule, backoff, exponential backoff",
  "guides/operations.md": "backup, restore, upgrade, update, Windows, WSL, macOS, Linux, operating system",
  "guides/configuration.md":
    "port already in use, EADDRINUSE, address in use, self-signed certificate, private CA, internal address, localhost, allowlist",
  "guides/runbooks.md":
    "troubleshooting, FAQ, problems, error, no space left on device, watchdog, master key lost",
  "guides/backup.md": "disaster recovery, restore, pg_dump, snapshot, lost database, RPO, RTO",
  "guides/sizing.md": "capacity, memory, RAM, disk space, CPU, how many SLOs",
  "guides/scaling.md": "high availability, cluster, performance",
  "guides/add-your-team.md":
    "add user, invite, onboard, colleague, offboard, remove user, single sign-on, SSO, OIDC, SAML, LDAP",
  "guides/first-page.md": "getting started, tutorial, paging, on call, first alert",
  "guides/which-data-source.md": "Agent, Direct, DataSource, datasource, compare, choose",
  "guides/api.md":
    "412, 429, 503, rate limit exceeded, too many requests, status codes, lost update, optimistic locking, ingest counts, counts every 5 minutes",
  "guides/verify-a-notification.md":
    "key_unknown, keys_unavailable, signature_invalid, body_already_read, replayed, authority_unexpected, verify webhook, receiver",
  "guides/command-line.md": "CI, GitHub Actions, GitLab CI, pipeline, TOCSIN_URL, environment variables",
  "guides/reviews.md": "weekly report, quarterly report, PDF, export",
  "guides/definitions.md": "rename SLO, delete project, YAML schema, GitOps",
  "spec/status-pages.md": "public status page, subscribe",
  "errors/rate_limit_exceeded.md": "too many requests, 429",
  "commands/topics.md": "TOCSIN_URL, TOCSIN_ORGANIZATION, TOCSIN_CLIENT_ID",
  "security.md": "security policy, responsible disclosure, report a vulnerability",
  "spec/access.md": "authentication, authorization, roles, permissions, viewer, editor, admin",
}

/** Files that documents link to are pages too, if they are text of these kinds. */
const shownFile = /\.(?:ts|py|go|java|rs|ya?ml|json)$/

/**
 * Writes the pages to `folder` and the configuration that the generator reads to `site.json`. Returns the paths of the files that
 * they were made of, relative to the repository.
 */
export async function writePages(folder, place) {
  const documents = documentsOf()
  const sources = new Set(documents.keys())
  const pages = new Map()
  const shown = new Map()

  const pageOf = (file) => {
    const page = documents.get(file)
    if (page !== undefined) return page
    if (!shownFile.test(file) || !existsSync(join(root, file))) return undefined
    const name = `files/${file.replaceAll(/[/.]/g, "-")}`
    shown.set(file, name)
    return name
  }
  for (const [file, page] of documents) {
    const text = readFileSync(join(root, file), "utf8")
    pages.set(
      page,
      withLinks(withoutComments(text), file, pageOf, (image) => sources.add(image)),
    )
  }
  for (const [file, page] of shown) {
    sources.add(file)
    pages.set(
      page,
      `# ${posix.basename(file)}\n\n\`${file}\` of the repository:\n\n${fenced(readFileSync(join(root, file), "utf8"), posix.extname(file).slice(1))}\n`,
    )
  }

  const generated = await generatedPages(folder)
  // Descriptions of settings link from the guide that lists them.
  for (const [page, text] of Object.entries(generated.pages))
    pages.set(
      page,
      withLinks(text, "docs/guides/configuration.md", pageOf, () => undefined),
    )

  for (const [page, text] of pages) write(folder, `${page}.md`, text)
  for (const source of sources)
    if (source.endsWith(".webp")) copy(source, folder, `public/images/${posix.basename(source)}`)
  copy("apps/console/public/favicon.svg", folder, "public/favicon.svg")
  sources.add("apps/console/public/favicon.svg").add("package.json")
  for (const source of generated.sources) sources.add(source)
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const site = {
    base: place.base,
    version,
    versionsFile: place.versionsFile,
    sidebar: sidebarOf(generated),
    keywords,
  }
  write(folder, "site.json", JSON.stringify(site))
  return { sources: [...sources] }
}

/** The index of the documents is the navigation too; references have their own. */
function sidebarOf({ commands, api, errors }) {
  const pages = documentsOf()
  const [, ...sections] = readFileSync(join(root, "docs/README.md"), "utf8").split(/^## /m)
  const index = sections.map((section) => {
    const [text] = section.split("\n", 1)
    const [topic] = section.split(/^### /m)
    const items = [...topic.matchAll(/^- \[([^\]]+)\]\(([^)#\s]+)/gm)].flatMap(([, text, target]) => {
      const page = pages.get(posix.join("docs", target))
      return page === undefined ? [] : [{ text, link: linkOf(page) }]
    })
    return { text, items }
  })
  const specification = [...pages.values()]
    .filter((page) => page.startsWith("spec/") && page !== "spec/index")
    .map((page) => ({ text: page.slice("spec/".length), link: `/${page}` }))
  const references = {
    text: "Reference",
    items: [
      ...(index.find(({ text }) => text === "Reference")?.items ?? []),
      { text: "Commands", link: "/commands/" },
      { text: "API", link: "/api/" },
      { text: "Settings", link: "/settings" },
      { text: "Error codes", link: "/errors/" },
    ],
  }
  return {
    "/": [...index.filter(({ text, items }) => text !== "Reference" && items.length > 0), references],
    "/spec/": [{ text: "Specification", link: "/spec/", items: specification }],
    "/commands/": [{ text: "Commands", link: "/commands/", items: commands }],
    "/api/": [{ text: "API", link: "/api/", items: api }],
    "/errors/": [{ text: "Error codes", link: "/errors/", items: errors }],
  }
}

function linkOf(page) {
  return `/${page.replace(/(^|\/)index$/, "$1")}`
}

/** The page of each document, by its path in the repository. */
function documentsOf() {
  const listed = (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => [
        `${folder}/${name}`,
        `${folder.slice("docs/".length)}/${name === "README.md" ? "index" : name.slice(0, -3)}`,
      ])
  const packages = readdirSync(join(root, "packages")).map((name) => [
    `packages/${name}/README.md`,
    `packages/${name}`,
  ])
  return new Map([
    ["docs/README.md", "index"],
    ["README.md", "start"],
    ["CHANGELOG.md", "changelog"],
    ["SECURITY.md", "security"],
    ["docs/comparison.md", "comparison"],
    ["docs/pictures.md", "pictures"],
    ["docs/benchmarks.md", "benchmarks"],
    ...listed("docs/guides"),
    ...listed("docs/spec"),
    ...packages,
    ["apps/server/README.md", "packages/server"],
  ])
}

/** A document with links to pages in place of files, and without links to what is no page. */
function withLinks(text, file, pageOf, onImage) {
  return outsideCode(text, (prose) =>
    prose.replaceAll(
      /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:|[#/])([^)#\s]+)(#[^)]*)?\)/g,
      (_, image, label, target, anchor = "") => {
        const path = posix.join(posix.dirname(file), target)
        if (image === "!") {
          onImage(path)
          return `![${label}](/images/${posix.basename(path)})`
        }
        const page = pageOf(path)
        return page === undefined ? label : `[${label}](${linkOf(page)}${anchor})`
      },
    ),
  )
}

function withoutComments(text) {
  return outsideCode(text, (prose) => prose.replaceAll(/<!--[^]*?-->\n*/g, ""))
}

/** The pages that are generated from the code, which is bundled first: a clone may have no compiled packages. */
async function generatedPages(folder) {
  const { build } = await import("esbuild")
  const file = join(folder, "../generated.cjs")
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ["scripts/help-generated.ts"],
    outfile: file,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    conditions: ["source"],
    metafile: true,
    logLevel: "error",
    define: {
      "import.meta.url": "moduleUrl",
      "import.meta.dirname": "__dirname",
      "import.meta.filename": "__filename",
    },
    banner: { js: `const moduleUrl = require("node:url").pathToFileURL(__filename).href` },
  })
  const sources = Object.keys(metafile.inputs).filter((path) => !path.includes("node_modules"))
  const { generate } = createRequire(import.meta.url)(file)
  return { ...(await generate()), sources }
}

/** Changes what is not in fenced blocks; code spans are left as they are by patterns that do not match in them. */
function outsideCode(text, change) {
  return text
    .split(/(^```[^]*?^```$)/m)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join("")
}

function fenced(code, language) {
  return `\`\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\``
}

function write(folder, name, text) {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function copy(source, folder, name) {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  copyFileSync(join(root, source), join(folder, name))
}
