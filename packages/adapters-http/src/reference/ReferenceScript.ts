/** The script of the API reference: theme, search, and requests. It keeps the token in the page and nowhere else. */
export const referenceScript = `"use strict";
(() => {
  const root = document.documentElement
  // The key and values of the web console's color scheme.
  const key = "mantine-color-scheme-value"
  const theme = document.getElementById("theme")
  const stored = () => { try { return localStorage.getItem(key) ?? "auto" } catch { return "auto" } }
  const paint = (scheme) => { if (scheme === "auto") delete root.dataset.theme; else root.dataset.theme = scheme; theme.value = scheme }
  paint(stored())
  theme.addEventListener("change", () => { try { localStorage.setItem(key, theme.value) } catch {} paint(theme.value) })
  addEventListener("storage", () => paint(stored()))

  document.getElementById("origin").textContent = location.origin

  const search = document.getElementById("search")
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\\s+/)
    for (const group of document.querySelectorAll("nav [data-group]")) {
      let shown = 0
      for (const item of group.querySelectorAll("li")) {
        item.hidden = !words.every((word) => item.dataset.search.includes(word))
        if (!item.hidden) shown++
      }
      group.hidden = shown === 0
    }
  })

  const menu = document.getElementById("menu")
  // On a narrow screen, the content comes first.
  menu.open = matchMedia("(min-width: 821px)").matches
  menu.addEventListener("click", (event) => {
    if (event.target.closest("a") && matchMedia("(max-width: 820px)").matches) menu.open = false
  })

  const access = document.getElementById("access").elements
  document.getElementById("access").addEventListener("submit", (event) => event.preventDefault())
  let session
  fetch("/api/console/session", { headers: { "x-tocsin-console": "1" } })
    .then((response) => (response.status === 200 ? response.json() : undefined))
    .then((found) => {
      if (found === undefined) return
      session = found
      access.organization.value ||= found.organization
      document.getElementById("who").textContent =
        "Signed in to " + found.organization + " as " + found.clientId + " (" + found.role + "). An access token replaces the session."
    })
    .catch(() => {})

  const shellQuoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'"
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })
  const block = (text) => { const pre = document.createElement("pre"); pre.tabIndex = 0; pre.append(element("code", text)); return pre }

  /** The request that a form describes. */
  const requestOf = (form) => {
    const { method } = form.dataset
    let { path } = form.dataset
    const query = new URLSearchParams()
    const headers = {}
    let body
    const basic = {}
    for (const field of form.querySelectorAll("[data-in]")) {
      const { name, value } = field
      if (value === "") continue
      if (field.dataset.in === "path") path = path.replace("{" + name + "}", encodeURIComponent(value))
      else if (field.dataset.in === "query") for (const each of "list" in field.dataset ? value.split(",") : [value]) query.append(name, each.trim())
      else if (field.dataset.in === "header") headers[name] = value
      else if (field.dataset.in === "basic") basic[name] = value
      else if (field.dataset.in === "body") body = value
    }
    if (body !== undefined) headers["content-type"] = form.elements.type.value
    if (access.organization.value !== "") headers.organization = access.organization.value
    const token = access.token.value.trim()
    if (basic.clientId !== undefined) headers.authorization = "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(basic.clientId + ":" + (basic.clientSecret ?? ""))))
    else if (token !== "") headers.authorization = "Bearer " + token
    else headers["x-tocsin-console"] = "1"
    const search = query.size === 0 ? "" : "?" + query
    return { method, url: path + search, headers, body }
  }

  /** Credentials are not repeated in the command. */
  const commandOf = ({ method, url, headers, body }) =>
    ["curl -X " + method + " " + shellQuoted(location.origin + url)]
      .concat(headers.authorization?.startsWith("Basic") ? ['-u "$TOCSIN_CLIENT_ID:$TOCSIN_CLIENT_SECRET"'] : ['-H "Authorization: Bearer $TOKEN"'])
      .concat(Object.entries(headers).filter(([name]) => name !== "authorization" && name !== "x-tocsin-console").map(([name, value]) => "-H " + shellQuoted(name + ": " + value)))
      .concat(body === undefined ? [] : ["--data-binary " + shellQuoted(body)])
      .join(" \\\\\\n  ")

  const formatted = (text, type) => {
    if (!type.includes("json")) return text
    try { return JSON.stringify(JSON.parse(text), null, 2) } catch { return text }
  }

  const shownMax = 200_000

  document.addEventListener("submit", async (event) => {
    const form = event.target
    if (form.dataset.path === undefined) return
    event.preventDefault()
    const result = form.parentElement.querySelector(".result")
    const button = form.querySelector("button")
    if (button.disabled) return
    const request = requestOf(form)
    button.disabled = true
    result.replaceChildren(element("p", "Sending …"))
    const started = performance.now()
    const shown = []
    try {
      const usesSession = request.headers.authorization === undefined
      const response = await fetch(request.url, {
        method: request.method, headers: request.headers, body: request.body,
        credentials: usesSession ? "same-origin" : "omit", cache: "no-store",
      })
      const text = await response.text()
      const type = response.headers.get("content-type") ?? ""
      shown.push(element("p", response.status + " " + response.statusText + " in " + Math.round(performance.now() - started) + " ms"))
      if (response.status === 401 && usesSession) shown.push(element("p", session === undefined ? "Enter an access token, or sign in to the web console." : "The session has ended. Sign in to the web console again."))
      const body = formatted(text, type)
      if (body !== "") shown.push(block(body.length > shownMax ? body.slice(0, shownMax) + "\\n…" : body))
      shown.push(element("h5", "Response headers"), block([...response.headers].map(([name, value]) => name + ": " + value).join("\\n")))
      if (form.dataset.path === "/api/accessToken" && response.ok) {
        access.token.value = JSON.parse(text).access_token
        shown.push(element("p", "The requests of this page now use this token."))
      }
    } catch {
      shown.push(element("p", "The server did not respond. Check the connection, and try again."))
    }
    shown.push(element("h5", "Command"), block(commandOf(request)))
    result.replaceChildren(...shown)
    button.disabled = false
  })
})()
`
