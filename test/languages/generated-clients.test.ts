import { NodeApiServer } from "@tocsin/adapters-http"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { describeWith, expect } from "@tocsin/testing/vitest"
import { apiServer, basicOf, send } from "../http/api-client.ts"

// Installed apart: the linters bring 200 packages that nothing else needs.
const npmPackages = [
  "@redocly/cli@2.77.0",
  "@stoplight/spectral-cli@6.16.3",
  "openapi-fetch@0.17.0",
  "openapi-typescript@7.13.0",
  "typescript@5.9.3",
]
const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
const goRuntime = "github.com/oapi-codegen/runtime@v1.8.0"

/** Compilers and registries take their time. */
const slow = { timeout: 1_200_000 }

/** Generates clients too; Maven fetches it. */
const javaGenerator = "org.openapitools:openapi-generator-cli:7.14.0"

const documents = ["openapi", "openapi-v1"]

const folder = mkdtempSync(join(tmpdir(), "tocsin-languages-"))
const goFolder = join(folder, "go")

/** Runs a program in a folder and gives what it prints; what it reports is the failure's message. */
const run = (program: string, args: ReadonlyArray<string>, cwd = folder, env: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    const settings = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
    const options = { cwd, env: { ...process.env, ...settings, ...env }, maxBuffer: 1e8 }
    execFile(program, args, options, (cause, stdout, stderr) => {
      if (cause === null) resolve(stdout)
      else reject(new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`, { cause }))
    })
  })

const npmTool = (name: string, ...args: ReadonlyArray<string>) =>
  run(join(folder, "node_modules", ".bin", name), args)

beforeAll(async () => {
  mkdirSync(goFolder)
  writeFileSync(join(folder, "package.json"), `{"private":true,"type":"module"}`)
  writeFileSync(join(folder, "spectral.yaml"), `extends: ["spectral:oas"]\n`)
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...npmPackages])
}, 600_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }), 600_000)

/** A client of both documents' operations and shapes, by OpenAPI Generator, which runs on Java. */
const generateClient = Effect.fnUntraced(function* (generator: "go" | "python", into: string) {
  yield* writeDocument("openapi")
  const jar = join(folder, `${javaGenerator.split(":").slice(1).join("-")}.jar`)
  if (!existsSync(jar)) {
    yield* Effect.promise(() =>
      run("mvn", ["-q", "dependency:copy", `-Dartifact=${javaGenerator}`, `-DoutputDirectory=${folder}`]),
    )
  }
  const options = ["--generator-name", generator, "--input-spec", join(folder, "openapi.json")]
  yield* Effect.promise(() => run("java", ["-jar", jar, "generate", ...options, "--output", into]))
})

const writeDocument = (name: string) =>
  Effect.map(send(`/${name}.json`), ({ text }) => writeFileSync(join(folder, `${name}.json`), text))

/** The settings of a client that signs in to the server of the context. */
const clientSettings = Effect.gen(function* () {
  const { url } = yield* NodeApiServer.NodeApiServer
  const { authorization } = yield* basicOf("acme")
  return { TOCSIN_URL: url, TOCSIN_BASIC: authorization }
})

const typeScriptProgram = `
import createClient from "openapi-fetch"
import type { paths } from "./api.js"

declare const process: { readonly env: Record<string, string> }
const client = createClient<paths>({ baseUrl: process.env["TOCSIN_URL"]! })
const organization = "acme"
const token = await client.POST("/api/accessToken", {
  params: { header: { organization } },
  headers: { authorization: process.env["TOCSIN_BASIC"]! },
})
const slos = await client.GET("/api/v2/slos", {
  params: { header: { organization }, query: { limit: 10 } },
  headers: { authorization: \`Bearer \${token.data!.access_token}\` },
})
console.log(slos.response.status, slos.data!.data.length)
`

const goProgram = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func with(authorization string) RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", authorization)
		return nil
	}
}

func main() {
	ctx := context.Background()
	client, err := NewClientWithResponses(os.Getenv("TOCSIN_URL"))
	if err != nil {
		panic(err)
	}
	token, err := client.IssueAccessTokenWithResponse(ctx,
		&IssueAccessTokenParams{Organization: "acme"}, with(os.Getenv("TOCSIN_BASIC")))
	if err != nil {
		panic(err)
	}
	slos, err := client.ListSlosWithResponse(ctx,
		&ListSlosParams{Organization: "acme"}, with("Bearer "+token.JSON200.AccessToken))
	if err != nil {
		panic(err)
	}
	fmt.Println(slos.StatusCode(), len(slos.JSON200.Data))
}
`

const openApiGoProgram = `package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	client "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	address, err := url.Parse(os.Getenv("TOCSIN_URL"))
	if err != nil {
		panic(err)
	}
	settings := client.NewConfiguration()
	settings.Host, settings.Scheme = address.Host, address.Scheme
	settings.AddDefaultHeader("Authorization", os.Getenv("TOCSIN_BASIC"))
	token, _, err := client.NewAPIClient(settings).AccessTokensAPI.
		IssueAccessToken(context.Background()).Organization("acme").Execute()
	if err != nil {
		panic(err)
	}
	settings.AddDefaultHeader("Authorization", "Bearer "+token.AccessToken)
	slos, response, err := client.NewAPIClient(settings).SLOsAPI.
		ListSlos(context.Background()).Organization("acme").Limit(10).Execute()
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, len(slos.Data))
}
`

const pythonProgram = `
import importlib, os, pkgutil
import openapi_client
from openapi_client import models

for module in pkgutil.iter_modules(models.__path__):
    importlib.import_module(f"openapi_client.models.{module.name}")

settings = openapi_client.Configuration(host=os.environ["TOCSIN_URL"])
with openapi_client.ApiClient(settings) as client:
    client.set_default_header("Authorization", os.environ["TOCSIN_BASIC"])
    token = openapi_client.AccessTokensApi(client).issue_access_token(organization="acme")
    client.set_default_header("Authorization", f"Bearer {token.access_token}")
    slos = openapi_client.SLOsApi(client).list_slos_with_http_info(organization="acme", limit=10)
    window = models.SloDefinition.from_dict({
        "apiVersion": "tocsin/v1alpha", "kind": "SLO", "metadata": {"name": "checkout", "project": "default"},
        "spec": {"service": "shop", "budgetingMethod": "Occurrences",
                 "timeWindows": [{"unit": "Day", "count": 28, "isRolling": True}],
                 "objectives": [{"name": "good", "target": 0.99}]},
    }).to_dict()["spec"]["timeWindows"][0]
    print(slos.status_code, len(slos.data.data), window["isRolling"])
`

describeWith(apiServer)("the OpenAPI documents", (it) => {
  it.effect.each(documents)(
    "Redocly and Spectral find no error in %s.json",
    (name) =>
      Effect.gen(function* () {
        yield* writeDocument(name)
        yield* Effect.promise(() => npmTool("redocly", "lint", "--extends=recommended", `${name}.json`))
        yield* Effect.promise(() => npmTool("spectral", "lint", "--ruleset", "spectral.yaml", `${name}.json`))
      }),
    slow,
  )

  it.effect(
    "a TypeScript client that openapi-typescript generates compiles and lists SLOs",
    () =>
      Effect.gen(function* () {
        yield* writeDocument("openapi")
        const settings = yield* clientSettings
        writeFileSync(join(folder, "main.ts"), typeScriptProgram)
        const strict = ["--strict", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"]
        yield* Effect.promise(() => npmTool("openapi-typescript", "openapi.json", "-o", "api.ts"))
        yield* Effect.promise(() => npmTool("tsc", ...strict, "--skipLibCheck", "main.ts"))
        const printed = yield* Effect.promise(() => run(process.execPath, ["main.js"], folder, settings))
        expect(printed).toBe("200 0\n")
      }),
    slow,
  )

  it.effect(
    "a Go client that oapi-codegen generates compiles and lists SLOs",
    () =>
      Effect.gen(function* () {
        yield* writeDocument("openapi")
        const settings = yield* clientSettings
        const go = (...args: ReadonlyArray<string>) =>
          Effect.promise(() => run("go", args, goFolder, settings))
        yield* Effect.promise(() =>
          run("go", ["version"]).catch((cause: unknown) => {
            throw new Error(
              "Go is required: install Go 1.24 or later (https://go.dev/dl) and put it on the PATH",
              { cause },
            )
          }),
        )
        yield* go("mod", "init", "example.com/client")
        const generated = ["-generate", "types,client", "-package", "main", "-o", "client.go"]
        yield* go("run", goGenerator, ...generated, join(folder, "openapi.json"))
        writeFileSync(join(goFolder, "main.go"), goProgram)
        yield* go("get", goRuntime)
        yield* go("mod", "tidy")
        yield* go("build", "-o", "client", ".")
        const printed = yield* Effect.promise(() => run(join(goFolder, "client"), [], goFolder, settings))
        expect(printed).toBe("200 0\n")
      }),
    slow,
  )

  it.effect(
    "a Go client that OpenAPI Generator generates compiles and lists SLOs",
    () =>
      Effect.gen(function* () {
        const settings = yield* clientSettings
        const library = join(folder, "go-library")
        yield* generateClient("go", library)
        const go = (...args: ReadonlyArray<string>) =>
          Effect.promise(() => run("go", args, library, settings))
        mkdirSync(join(library, "cmd"))
        writeFileSync(join(library, "cmd", "main.go"), openApiGoProgram)
        yield* go("mod", "tidy")
        yield* go("vet", "./...")
        yield* go("build", "-o", "client", "./cmd")
        const printed = yield* Effect.promise(() => run(join(library, "client"), [], library, settings))
        expect(printed).toBe("200 0\n")
      }),
    slow,
  )

  it.effect(
    "a Python client that OpenAPI Generator generates imports, reads an SLO and lists SLOs",
    () =>
      Effect.gen(function* () {
        const settings = yield* clientSettings
        const library = join(folder, "python-library")
        yield* generateClient("python", library)
        writeFileSync(join(library, "main.py"), pythonProgram)
        yield* Effect.promise(() => run("python3", ["-m", "venv", "venv"], library))
        const python = join(library, "venv", "bin", "python")
        yield* Effect.promise(() =>
          run(python, ["-m", "pip", "install", "--quiet", "-r", "requirements.txt"], library),
        )
        const printed = yield* Effect.promise(() => run(python, ["main.py"], library, settings))
        expect(printed).toBe("200 0 True\n")
      }),
    slow,
  )
})
