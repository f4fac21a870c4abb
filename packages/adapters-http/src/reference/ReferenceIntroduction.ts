/** What every caller of the API needs first. The guide `docs/guides/api.md` says more. */
export const introductionHtml = `<section id="authentication" aria-labelledby="authentication-title">
<h2 id="authentication-title">Authentication</h2>
<p>Exchange a client ID and a client secret for an access token with <a href="#issueAccessToken">POST /api/accessToken</a>. The token is valid for one hour. Send it with every other call:</p>
<pre tabindex="0"><code>curl -H 'Authorization: Bearer TOKEN' -H 'Organization: ORGANIZATION' <span id="origin">https://tocsin.example.com</span>/api/v2/slos</code></pre>
<p>On this page, requests use the session of the <a href="/">web console</a> if you are signed in, or the token that you enter here. The token is kept until you leave the page.</p>
<form id="access"><p id="who" role="status">Not signed in. Enter an access token, or sign in to the web console and reload this page.</p>
<label>Organization<input name="organization" autocomplete="off" spellcheck="false"></label>
<label>Access token<input name="token" type="password" autocomplete="off"></label></form>
</section>
<section id="organization" aria-labelledby="organization-title">
<h2 id="organization-title">Organizations and projects</h2>
<p>The header <code>Organization</code> names the organization of the credential. A different one is 403 <code>organization_mismatch</code>. The header <code>Project</code> names a project (default: <code>default</code>). Lists accept <code>*</code> for all projects. A credential has the role <code>viewer</code> (read), <code>editor</code> (read and write) or <code>admin</code> (also manage credentials).</p>
</section>
<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>A response with status 400 or higher has all errors at once, each with a stable <code>code</code> and, if a value is wrong, its path in <code>source</code>. To find a request in the log of the server, search for the <code>Trace-Id</code> header of its response.</p>
<pre tabindex="0"><code>{"errors": [{"title": "…", "code": "…", "detail": "…", "source": {"propertyName": "spec.target"}}]}</code></pre>
</section>
<section id="paging" aria-labelledby="paging-title">
<h2 id="paging-title">Paging</h2>
<p>Lists return pages. Request the link to the next page until there is none: it is <code>links.next</code> of the status API, and the header <code>Link</code> with <code>rel="next"</code> elsewhere. <code>limit</code> sets the size of a page. Objects that are added or deleted while you page do not cause duplicates or gaps.</p>
</section>
<section id="rate-limits" aria-labelledby="rate-limits-title">
<h2 id="rate-limits-title">Rate limits</h2>
<p>Each organization has limits of its own. The headers <code>RateLimit</code> and <code>RateLimit-Policy</code> show the requests remaining and the limit. A request over the limit is 429: repeat it after the number of seconds in <code>Retry-After</code>. An organization can get one access token every 3 s, so reuse it.</p>
<p>The guide <code>docs/guides/api.md</code> in the repository has examples of each topic. Client generators can read the <a href="/openapi.json">OpenAPI document</a>.</p>
</section>`
