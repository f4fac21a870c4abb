import type { DefinitionDocument } from "@tocsin/api"
import { Group, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import { NameInput } from "../editor/NameInput.tsx"
import { useMutation } from "@tanstack/react-query"
import rules from "virtual:rules/DataSource"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { issuesOr } from "../api/Issues.ts"
import { Card } from "../components/Page.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { type Draft, useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { type DraftFields, exactText, type Typing } from "../editor/Fields.ts"
import { GeneralCard, newMetadata } from "../editor/General.tsx"
import { HeaderRows } from "../editor/HeaderRows.tsx"
import { named } from "../editor/Preview.ts"
import { hiddenValue } from "@tocsin/domain/forms"
import type { IsSecret } from "../editor/Secrets.ts"
import { StoredInput } from "../editor/StoredInput.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { TestResult } from "./SourceTest.tsx"

type DataSource = DefinitionDocument<"DataSource">

/** A new data source, with its properties in the order of its YAML. */
const newSource = (apiVersion: string) =>
  ({
    apiVersion,
    kind: "DataSource",
    metadata: newMetadata(),
    spec: {
      description: undefined,
      prometheus: {
        url: "",
        basic: undefined,
        bearer: undefined,
        oauth2: undefined,
        tls: undefined,
        tenant: undefined,
        headers: undefined,
        queryDelay: undefined,
      },
    },
  }) as object as DataSource

/** What the YAML of a data source hides. */
const isSecret: IsSecret = (path, parent) =>
  /^spec\.prometheus\.(?:basic\.password|bearer\.token|oauth2\.clientSecret|tls\.key)$/.test(path) ||
  (/^spec\.prometheus\.headers\[.*\]\.value$/.test(path) && parent["isSecret"] === true)

const delayPath = "spec.prometheus.queryDelay"

const keyPath = "spec.prometheus.tls.key"

/** The form of a data source, beside a test of what is entered. */
export const DataSourceForm = ({ edited }: { readonly edited: DataSource | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<DataSource>("DataSource", {
    rules,
    initial: () => newSource(apiVersion),
    edited,
    isSecret,
  })
  const { at, put, field, hint, errorOf } = draft
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create data source") : t("Save data source")}
      listHref="/data-sources"
      preview={<Test draft={draft} />}
    >
      <GeneralCard draft={draft} isNew={isNew} />
      <Card title={t("Server")}>
        <NameInput
          {...field("spec.prometheus.url")}
          label={t("URL")}
          description={t("Base URL of the Prometheus HTTP API, without /api/v1.")}
          placeholder="https://mimir.example.com/prometheus"
          inputMode="url"
        />
        <Group className={css.pair ?? ""} gap="sm" align="flex-start">
          <TextInput
            {...field("spec.prometheus.tenant")}
            label={t("Tenant")}
            description={hint("spec.prometheus.tenant", t("Sent as X-Scope-OrgID."))}
          />
          <TextInput
            {...field(delayPath)}
            label={t("Query delay")}
            description={hint(delayPath, t("Increase it if samples are stored late."))}
            placeholder={draft.rules(delayPath).default}
          />
        </Group>
      </Card>
      <AuthenticationCard draft={draft} />
      <Card title={t("TLS")}>
        <Textarea
          {...field("spec.prometheus.tls.ca")}
          label={t("Certificate authorities")}
          description={hint("spec.prometheus.tls.ca", t("In PEM. They replace the public ones."))}
          placeholder="-----BEGIN CERTIFICATE-----"
          rows={3}
        />
        <Textarea
          {...field("spec.prometheus.tls.certificate")}
          label={t("Client certificate")}
          description={hint("spec.prometheus.tls.certificate", t("In PEM."))}
          placeholder="-----BEGIN CERTIFICATE-----"
          rows={3}
        />
        {at(keyPath) === hiddenValue ? (
          <StoredInput
            id={keyPath}
            label={t("Private key")}
            error={errorOf(keyPath, keyPath)}
            replaceLabel={t("Replace private key")}
            onReplace={() => put({ [keyPath]: undefined })}
          />
        ) : (
          <Textarea
            {...field(keyPath, undefined, "spec.prometheus.tls")}
            label={t("Private key")}
            description={t("Of the client certificate, in PEM, without a passphrase.")}
            placeholder="-----BEGIN PRIVATE KEY-----"
            rows={3}
          />
        )}
      </Card>
      <Card title={t("Headers")}>
        <HeaderRows draft={draft} path="spec.prometheus.headers" legend={t("Headers of every query")} />
      </Card>
    </Editor>
  )
}

/** The authentication methods, and a new value of each. */
const methods = {
  none: undefined,
  basic: { username: "", password: "" },
  bearer: { token: "" },
  oauth2: { tokenUrl: "", clientId: "", clientSecret: "" },
}

type Method = keyof typeof methods

/** A list of words separated by spaces. */
const wordList: Typing<string> = {
  format: (words) => ((words ?? []) as ReadonlyArray<string>).join(" "),
  parse: (text) => text.match(/\S+/g) ?? undefined,
}

const AuthenticationCard = ({
  draft: { at, put, swap, field, hint, errorOf },
}: {
  readonly draft: DraftFields
}) => {
  const pathOf = (each: string): string => `spec.prometheus.${each}`
  const method =
    (Object.keys(methods) as ReadonlyArray<Method>).find((each) => at(pathOf(each)) !== undefined) ?? "none"
  const secret = (path: string, typing: Typing<string> | undefined, label: string, replaceLabel: string) =>
    at(path) === hiddenValue ? (
      <StoredInput
        id={path}
        label={label}
        error={errorOf(path, path)}
        replaceLabel={replaceLabel}
        onReplace={() => put({ [path]: "" })}
      />
    ) : (
      <NameInput {...field(path, typing)} label={label} type="password" autoComplete="new-password" />
    )
  return (
    <Card title={t("Authentication")}>
      <SegmentedControl
        aria-label={t("Authentication method")}
        value={method}
        onChange={(next) => swap([pathOf(method)], { [pathOf(next)]: methods[next as Method] })}
        data={[
          { value: "none", label: t("None") },
          { value: "basic", label: t("Basic") },
          { value: "bearer", label: t("Bearer") },
          { value: "oauth2", label: t("OAuth 2.0") },
        ]}
      />
      {method === "basic" && (
        <Group className={css.pair ?? ""} gap="sm" align="flex-start">
          <NameInput {...field("spec.prometheus.basic.username")} label={t("User name")} autoComplete="off" />
          {secret("spec.prometheus.basic.password", exactText, t("Password"), t("Replace password"))}
        </Group>
      )}
      {method === "bearer" &&
        secret("spec.prometheus.bearer.token", undefined, t("Token"), t("Replace token"))}
      {method === "oauth2" && (
        <>
          <NameInput {...field("spec.prometheus.oauth2.tokenUrl")} label={t("Token URL")} inputMode="url" />
          <Group className={css.pair ?? ""} gap="sm" align="flex-start">
            <NameInput
              {...field("spec.prometheus.oauth2.clientId")}
              label={t("Client ID")}
              autoComplete="off"
            />
            {secret(
              "spec.prometheus.oauth2.clientSecret",
              exactText,
              t("Client secret"),
              t("Replace client secret"),
            )}
          </Group>
          <Group className={css.pair ?? ""} gap="sm" align="flex-start">
            <TextInput
              {...field("spec.prometheus.oauth2.scopes", wordList)}
              label={t("Scopes")}
              description={hint("spec.prometheus.oauth2.scopes", t("Separated by spaces."))}
            />
            <TextInput
              {...field("spec.prometheus.oauth2.audience")}
              label={t("Audience")}
              description={hint("spec.prometheus.oauth2.audience")}
            />
          </Group>
        </>
      )}
    </Card>
  )
}

/** Logs in with what is entered, before it is saved or has a name. */
const Test = ({
  draft: { definition, report },
}: {
  readonly draft: Pick<Draft<DataSource>, "definition" | "report">
}) => {
  const tested = named(definition)
  const test = useMutation({
    mutationFn: async () => {
      const result = await issuesOr(
        bodyOf(client.POST("/api/datasources/test", { body: { definition: tested } })),
      )
      if ("errors" in result) report(result.errors)
      return { of: JSON.stringify(tested), result }
    },
  })
  const result =
    test.data !== undefined && test.data.of === JSON.stringify(tested) && !("errors" in test.data.result)
      ? test.data.result
      : undefined
  return (
    <TestCard
      label={t("Test connection")}
      hint={t("Authenticates to the server and evaluates vector(1). Nothing is stored.")}
      test={{ ...test, isIdle: result === undefined && !test.isPending && test.error === null }}
      onTest={() => test.mutate()}
    >
      {result !== undefined && <TestResult test={result} />}
    </TestCard>
  )
}
