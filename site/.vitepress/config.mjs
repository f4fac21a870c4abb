// The documentation site: pages that scripts/help.mjs writes to `pages`, in the default theme without its fonts.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"

/** Written by scripts/help-pages.mjs. */
const pages = process.env.SITE_PAGES
/** Written beside the pages: the version, the sidebar, and the words by which search finds a page that does not have them. */
const { base, version, versionsFile, sidebar, keywords } = JSON.parse(
  readFileSync(join(pages, "site.json"), "utf8"),
)

/** Inline scripts of the theme. The policy of the server forbids them, so they become files of their name. */
const inlineScript = /<script id="([\w-]+)">([^]*?)<\/script>/g
const scripts = new Map()

/** The styles of highlighted code by their classes, which are in a file for the same reason. */
const codeStyles = new Map()
const codeStylesFile = "code.css"

/** The grammars of blocks whose language has none. */
const grammars = { error: "text", issues: "text", rendered: "json", template: "js", caddyfile: "nginx" }

/** The anchors that GitHub gives headings, which the documents use. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-")

export default defineConfig({
  base,
  lang: "en-US",
  // To switch without transitions, the theme would add an inline style, which the policy of the server forbids.
  appearance: { disableTransition: false },
  title: "Tocsin",
  titleTemplate: ":title · Tocsin documentation",
  description: "Guides and references of Tocsin, a self-hosted SLO service with signed webhook alerts.",
  srcDir: pages,
  outDir: process.env.SITE_OUTPUT,
  cacheDir: "node_modules/.cache/vitepress",
  // One page after the other: the search index has the same bytes in every build.
  buildConcurrency: 1,
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: "localhostLinks",
  router: { prefetchLinks: false },
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}favicon.svg` }],
    ["link", { rel: "stylesheet", href: `${base}${codeStylesFile}` }],
  ],
  vite: {
    plugins: [accessibleSearch(), licenseNotices()],
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 10_000, reportCompressedSize: false },
    clearScreen: false,
  },
  markdown: {
    html: false,
    anchor: { slugify },
    toc: { level: [2, 3] },
    headers: { slugify, level: [2, 3] },
    image: { lazyLoading: true },
    attrs: { disable: true },
    // Every color has a contrast of at least 4.5 with the background of code.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    codeTransformers: [stylesAsClasses()],
    config: (md) => {
      md.core.ruler.push("grammars", ({ tokens }) => {
        for (const token of tokens)
          if (token.type === "fence") token.info = grammars[token.info] ?? token.info
      })
      // Braces are text, not expressions of the generator.
      for (const name of ["text", "code_inline"]) {
        const render = md.renderer.rules[name]
        md.renderer.rules[name] = (...parameters) => render(...parameters).replaceAll("{", "&#123;")
      }
      // A table that is wider than the page is scrolled, with the keyboard too.
      md.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
      md.renderer.rules.table_close = () => "</table></div>\n"
    },
  },
  transformHtml: (html) =>
    html
      .replaceAll(inlineScript, (_, name, code) => {
        scripts.set(name, code)
        return `<script src="${base}${name}.js"></script>`
      })
      // The policy forbids inline styles too; site.css has what pages need of them.
      .replaceAll(/(<[a-z][^<>]*?) style="[^"]*"/g, "$1"),
  buildEnd: ({ outDir }) => {
    for (const [name, code] of scripts) writeFileSync(join(outDir, `${name}.js`), code)
    const rules = Array.from(codeStyles, ([name, style]) => `.${name}{${style}}\n`)
    writeFileSync(join(outDir, codeStylesFile), rules.sort().join(""))
  },
  themeConfig: {
    siteTitle: "Tocsin documentation",
    nav: [
      { text: "Start", link: "/start", activeMatch: "^/start" },
      { text: "Guides", link: "/guides/definitions", activeMatch: "^/guides/" },
      { text: "Commands", link: "/commands/", activeMatch: "^/commands/" },
      { text: "API", link: "/api/", activeMatch: "^/api/" },
      { text: "Errors", link: "/errors/", activeMatch: "^/errors/" },
      { text: version, items: [{ text: "Changelog", link: "/changelog" }] },
    ],
    versionsFile,
    sidebar,
    outline: { level: [2, 3] },
    docFooter: { prev: false, next: false },
    search: {
      provider: "local",
      options: {
        detailedView: false,
        miniSearch: {
          searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, titles: 2, text: 1 } },
        },
        _render: (source, env, md) => {
          const html = md.render(source, env)
          // Files are found by their names.
          if (env.relativePath.startsWith("files/")) return html.split("<div", 1)[0]
          const words = keywords[env.relativePath]
          return words === undefined ? html : html.replace("</h1>", `</h1>\n<p>${words}</p>`)
        },
      },
    },
  },
})

/** The dialog of the search as a dialog with a list of links; the theme nests links in options, and options in a button. */
function accessibleSearch() {
  return {
    name: "accessible-search",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined
      return code
        .replace(
          /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-labelledby="localsearch-label"/,
          'role="dialog" aria-modal="true" aria-label="Search"',
        )
        .replace(/:role="results\?\.length \? 'listbox' : undefined"/, "")
        .replaceAll("<kbd :aria-label", '<kbd role="img" :aria-label')
        .replace(/:aria-selected="[^"]*"\s+role="option"/, "")
        .replace(/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, "")
    },
  }
}

/** Writes the licenses of the packages whose code is in the site. */
function licenseNotices() {
  return {
    name: "license-notices",
    generateBundle(options, bundle) {
      const folders = new Set()
      for (const { modules = {} } of Object.values(bundle))
        for (const id of Object.keys(modules)) {
          const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\0", "")) ?? []
          if (folder !== undefined) folders.add(folder)
        }
      const notices = [...folders]
        .filter((folder) => existsSync(join(folder, "package.json")))
        .sort()
        .map(noticeOf)
      this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: notices.join("\n\n") })
    },
  }
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text = file === undefined ? "" : `\n\n${readFileSync(join(folder, file), "utf8").trim()}`
  return `${name} ${version} (${license})${text}\n`
}

/** Gives each token of highlighted code a class in place of an inline style with its colors in both themes. */
function stylesAsClasses() {
  return {
    name: "styles-as-classes",
    span(token) {
      const { style } = token.properties
      if (typeof style !== "string") return
      const name = ["code", ...style.matchAll(/(?<=#)\w+|italic|bold|underline/g)].join("-")
      codeStyles.set(name, style)
      delete token.properties.style
      this.addClassToHast(token, name)
    },
  }
}
