import { describeWith, expect } from "@tocsin/testing/vitest"
import * as Effect from "effect/Effect"
import { parse } from "yaml"
import { aProject, aService, anAlertMethod, changed } from "../../../../test/definition/valid-definitions.ts"
import { apiServer, headersOf, type ReceivedResponse, send } from "../../../../test/http/api-client.ts"

const put = (headers: Readonly<Record<string, string>>, body: unknown, path = "/api/apply") =>
  send(path, {
    method: "PUT",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  })

const described = (description: string) => changed(aService(), "spec.description", description)

const errorsOf = ({ text }: ReceivedResponse) =>
  JSON.parse(text).errors as ReadonlyArray<{
    readonly title: string
    readonly code: string
    readonly detail: string
    readonly source: { readonly propertyName: string }
    readonly current?: { readonly spec: object; readonly revision: string }
  }>

describeWith(apiServer)("expected revisions", (it) => {
  const started = Effect.fnUntraced(function* (organization: string) {
    const headers = { ...(yield* headersOf(organization)), project: "shop" }
    expect((yield* put(headers, [aProject(), described("first"), aService("other")])).status).toBe(200)
    return headers
  })

  it.effect(
    "spec/definitions §15: a response with one definition has its revision as ETag, in each format",
    () =>
      Effect.gen(function* () {
        const headers = yield* started("tags")
        const tagOf = (query: string, more = {}) =>
          Effect.map(send(`/api/get/service${query}`, { headers: { ...headers, ...more } }), (response) =>
            response.headers.get("etag"),
          )
        const tag = yield* tagOf("?name=web")
        expect(tag).toMatch(/^"\d+"$/)
        expect(yield* tagOf("?name=web")).toBe(tag)
        const revision = tag?.slice(1, -1)
        expect(yield* tagOf("?name=web", { accept: "application/yaml" })).toBe(`"${revision}-yaml"`)
        expect(yield* tagOf("?name=web&revisions=true")).toBe(`"${revision}-revision"`)
        expect(yield* tagOf("")).toBeNull()
        expect(yield* tagOf("?name=none")).toBeNull()
        expect(yield* tagOf("?name=web&name=other")).toBeNull()
        const same = yield* send("/api/get/service?name=web", {
          headers: { ...headers, "if-none-match": tag ?? "" },
        })
        expect([same.status, same.text]).toEqual([304, ""])
        const listed = yield* send("/api/get/service?revisions=true", { headers })
        expect(JSON.parse(listed.text).map((each: { revision: string }) => each.revision)).toEqual([
          revision,
          revision,
        ])
        const yaml = yield* send("/api/get/service?revisions=true&name=web", {
          headers: { ...headers, accept: "application/yaml" },
        })
        expect(parse(yaml.text)).toMatchObject([{ revision }])
        const project = yield* send("/api/get/project?name=default&revisions=true", { headers })
        expect([project.headers.get("etag"), JSON.parse(project.text)[0].revision]).toEqual([
          '"0-revision"',
          "0",
        ])
        expect((yield* send("/api/get/service?revisions=yes", { headers })).status).toBe(400)
        // Without the parameter, nothing is added.
        expect((yield* send("/api/get/service", { headers })).text).not.toContain("revision")
      }),
  )

  it.effect("spec/definitions §15: If-Match applies a definition to the stored revision alone", () =>
    Effect.gen(function* () {
      const headers = yield* started("matching")
      const read = yield* send("/api/get/service?name=web", { headers })
      const tag = read.headers.get("etag") ?? ""
      const matching = (value: string) => ({ ...headers, "if-match": value })
      const dry = "/api/apply?dry_run=true"
      for (const each of [tag, `W/${tag.slice(0, -1)}-gzip"`, `"999", ${tag.slice(0, -1)}-yaml-br"`, "*"])
        expect((yield* put(matching(each), described("dry"), dry)).status).toBe(200)
      expect((yield* put(matching(tag), described("second"))).status).toBe(200)
      for (const path of ["/api/apply", dry]) {
        const late = yield* put(matching(tag), described("third"), path)
        expect(late.status).toBe(412)
        const [error, ...others] = errorsOf(late)
        expect(others).toEqual([])
        expect(error).toMatchObject({
          title: "Definition has changed",
          code: "revision_mismatch",
          source: { propertyName: "If-Match" },
          current: { kind: "Service", metadata: { name: "web" }, spec: { description: "second" } },
        })
        // What the error has is what can be applied next.
        const { current } = error ?? {}
        expect(error?.detail).toContain(`has revision ${current?.revision},`)
        expect((yield* put(headers, { ...current, spec: { description: "next" } }, dry)).status).toBe(200)
      }
      expect((yield* put(matching("*"), aService("new"))).status).toBe(412)
      const creating = { ...headers, "if-none-match": "*" }
      expect((yield* put(creating, aService("new"))).status).toBe(200)
      const taken = yield* put(creating, aService("new"))
      expect([taken.status, errorsOf(taken)[0]?.source.propertyName]).toEqual([412, "If-None-Match"])
      expect(errorsOf(taken)[0]?.title).toBe("Definition already exists")
    }),
  )

  it.effect("spec/definitions §15: If-Match deletes a definition of the stored revision alone", () =>
    Effect.gen(function* () {
      const headers = yield* started("deleting")
      const remove = (query: string, match?: string) =>
        send(`/api/delete/service?${query}`, {
          method: "DELETE",
          headers: { ...headers, ...(match !== undefined && { "if-match": match }) },
        })
      const read = yield* send("/api/get/service?name=web", { headers })
      const tag = read.headers.get("etag") ?? ""
      expect((yield* put(headers, described("second"))).status).toBe(200)
      for (const query of ["name=web", "name=web&dry_run=true"]) {
        const late = yield* remove(query, tag)
        expect([late.status, errorsOf(late)[0]]).toMatchObject([
          412,
          {
            code: "revision_mismatch",
            source: { propertyName: "If-Match" },
            current: { spec: { description: "second" } },
          },
        ])
      }
      for (const [query, match] of [
        ["name=web&name=other", "*"],
        ["name=web", "7"],
      ] as const)
        expect((yield* remove(query, match)).status).toBe(400)
      expect((yield* remove("name=none", "*")).status).toBe(412)
      const removeDocument = (match: string) =>
        send("/api/delete", {
          method: "DELETE",
          headers: { ...headers, "content-type": "application/json", "if-match": match },
          body: JSON.stringify(aService()),
        })
      expect((yield* removeDocument(tag)).status).toBe(412)
      const again = yield* send("/api/get/service?name=web", { headers })
      expect(again.text).toContain("second")
      expect((yield* remove("name=web", again.headers.get("etag") ?? "")).status).toBe(204)
      expect((yield* send("/api/get/service?name=web", { headers })).text).toBe("[]\n")
      expect((yield* remove("name=other")).status).toBe(204)
    }),
  )

  it.effect("spec/definitions §15: other preconditions are rejected", () =>
    Effect.gen(function* () {
      const headers = yield* started("malformed")
      for (const [condition, body, path] of [
        [{ "if-match": "7" }, described("a"), "If-Match"],
        [{ "if-match": '"a"' }, described("a"), "If-Match"],
        [{ "if-match": "" }, described("a"), "If-Match"],
        [{ "if-none-match": '"7"' }, described("a"), "If-None-Match"],
        [{ "if-match": "*", "if-none-match": "*" }, described("a"), "If-None-Match"],
        [{ "if-match": "*" }, [described("a"), aService("other")], undefined],
      ] as const) {
        const response = yield* put({ ...headers, ...condition }, body)
        expect([response.status, errorsOf(response)[0]?.source?.propertyName]).toEqual([400, path])
      }
      expect((yield* send("/api/get/service?name=web", { headers })).text).toContain("first")
    }),
  )

  it.effect(
    "spec/definitions §15: of several documents, every conflict is returned, and secrets stay hidden",
    () =>
      Effect.gen(function* () {
        const headers = yield* started("several")
        expect((yield* put(headers, [anAlertMethod(), described("second")])).status).toBe(200)
        const response = yield* put(headers, [
          aProject("pay"),
          { ...described("third"), revision: "0" },
          { ...anAlertMethod(), revision: "999" },
          { ...aService("none"), revision: "999" },
        ])
        expect(response.status).toBe(412)
        expect(
          errorsOf(response).map(({ title, source: { propertyName }, current }) => [
            title,
            propertyName,
            current?.spec !== undefined,
          ]),
        ).toEqual([
          ["Definition already exists", "[1].revision", true],
          ["Definition has changed", "[2].revision", true],
          ["Definition does not exist", "[3].revision", false],
        ])
        expect(errorsOf(response).map(({ detail }) => detail)).toEqual([
          "The Service web of project shop already exists, but the request expects that it does not exist.",
          expect.stringMatching(
            /^The AlertMethod .* has revision \d+, but the request expects revision 999\.$/,
          ),
          "The Service none of project shop does not exist, but the request expects revision 999.",
        ])
        expect(JSON.stringify(errorsOf(response)[1]?.current)).toContain("[hidden]")
        expect((yield* send("/api/get/project?name=pay", { headers })).text).toBe("[]\n")
      }),
  )
})
