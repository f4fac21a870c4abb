import { createHash } from "node:crypto"
import { type IsServed, servedDocument } from "../api/OpenApiDocuments.ts"
import type { ApiResponse } from "../frame/ApiResponse.ts"
import { escaped } from "../frame/Escaped.ts"
import { anchor, prose } from "./Html.ts"
import { introductionHtml } from "./ReferenceIntroduction.ts"
import { operationHtml, operationLink, type ReferenceOperation, tagAnchor } from "./ReferenceOperation.ts"
import { type ReferenceSchema, schemaHtml } from "./ReferenceSchema.ts"
import { referenceScript } from "./ReferenceScript.ts"
import { referenceStyle } from "./ReferenceStyle.ts"

interface ReferenceDocument {
  readonly info: { readonly version: string; readonly description: string }
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, ReferenceOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, ReferenceSchema>> }
}

/** The API reference as one page that is readable without its script. Only its own style sheet and script are allowed, by hash. */
export const renderPage = async (isServed: IsServed): Promise<ApiResponse> => ({
  status: 200,
  headers: {
    "cache-control": "no-cache",
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": [
      "default-src 'none'",
      `script-src ${hashOf(referenceScript)}`,
      `style-src ${hashOf(referenceStyle)}`,
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
    "referrer-policy": "no-referrer",
  },
  body: new TextEncoder().encode(pageHtml(servedDocument(isServed) as unknown as ReferenceDocument)),
})

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

const pageHtml = ({ info, tags, paths, components }: ReferenceDocument): string => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    id: tagAnchor(tag.name),
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const links = groups.map(
    (group) =>
      `<div data-group><h2>${escaped(group.name)}</h2><ul>${group.operations
        .map(({ method, path, operation }) => operationLink(method, path, operation))
        .join("")}</ul></div>`,
  )
  const sections = groups.map(
    (group) =>
      `<section aria-labelledby="${group.id}"><h2 id="${group.id}">${escaped(group.name)}</h2>${
        group.description === undefined ? "" : `<p>${prose(group.description)}</p>`
      }${group.operations.map(({ method, path, operation }) => operationHtml(method, path, operation)).join("")}</section>`,
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<section class="component" id="schema-${anchor(name)}" aria-label="${escaped(name)}"><h3>${escaped(name)}</h3>${schemaHtml(schema)}</section>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="API reference of Tocsin">
<title>API reference · Tocsin</title>
<link rel="icon" href="data:,">
<style>${referenceStyle}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><strong>Tocsin</strong><a href="/">Web console</a><a href="/openapi.json">OpenAPI document</a>
<label class="hidden" for="theme">Theme</label><select id="theme"><option value="auto">System theme</option><option value="light">Light</option><option value="dark">Dark</option></select></header>
<div class="layout">
<nav aria-label="Operations"><details id="menu"><summary>Operations</summary>
<label>Search<input id="search" type="search" autocomplete="off"></label>
${links.join("\n")}</details></nav>
<main id="main">
<h1>API reference</h1>
<p>Version ${escaped(info.version)}. ${prose(info.description)}</p>
${introductionHtml}
${sections.join("\n")}
<section aria-labelledby="schemas"><h2 id="schemas">Schemas</h2>${schemas.join("\n")}</section>
</main>
</div>
<script>${referenceScript}</script>
</body>
</html>
`
}
