import type { RateLimitStatus } from "@tocsin/domain/ports"
import { createHash } from "node:crypto"
import type { ApiResponse } from "./ApiResponse.ts"
import { rateLimitHeaders } from "./RateLimitHeaders.ts"

const style =
  ":root{color-scheme:light dark}" +
  "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:10vh auto;padding:0 1rem;background:Canvas}" +
  "dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dd{margin:0;overflow-wrap:anywhere}" +
  "form{display:grid;gap:.5rem;justify-items:start;margin-block-end:2rem}" +
  "input{font:inherit;padding:.5rem;width:100%;box-sizing:border-box}" +
  "button{font:inherit;padding:.5rem 1rem;cursor:pointer}"

/** The policy allows the style by its hash, forms of the page, and nothing else. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex",
  "referrer-policy": "no-referrer",
}

interface ActionPageOptions {
  readonly headers?: ApiResponse["headers"]
  readonly language?: string | undefined
}

/** A page with a form, which people without an account open by a link. `content` is HTML; by default, it is English. */
export const actionPage = (
  status: number,
  title: string,
  content: string,
  { headers = {}, language = "en" }: ActionPageOptions = {},
): ApiResponse => ({
  status,
  headers: { ...headers, ...pageHeaders, "content-language": language },
  body: `<!doctype html>
<html lang="${language}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Tocsin</title>
<style>${style}</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`,
})

/** A form of one button, which sends POST to the URL of the page. */
export const buttonForm = (label: string): string => `<form method="post"><button>${label}</button></form>`

/** In English. */
export const tooManyLinksTexts = {
  tooManyRequests: "Too many requests",
  tooManyLinks: "Too many invalid links were opened from your network. Try again in a few seconds.",
}

/** What a page of a link says after too many links with a forged token; by default, in English. */
export const tooManyLinksPage = (
  status: RateLimitStatus,
  { tooManyRequests, tooManyLinks }: typeof tooManyLinksTexts = tooManyLinksTexts,
  language?: string,
): ApiResponse =>
  actionPage(429, tooManyRequests, `<p>${tooManyLinks}</p>`, { headers: rateLimitHeaders(status), language })
