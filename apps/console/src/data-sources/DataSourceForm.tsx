import { Group, SegmentedControl, Textarea, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import css from "../components/Form.module.css"
import { bodyOf, client } from "../api/Client.ts"
import { issuesOr } from "../api/Issues.ts"
import { Card } from "../components/Page.tsx"
import { TestCard } from "../components/TestCard.tsx"
import { duplicateAnnotations } from "../editor/AnnotationRows.tsx"
import { type Draft, useDraft } from "../editor/Draft.ts"
import { Editor } from "../editor/Editor.tsx"
import { GeneralCard } from "../editor/General.tsx"
import { HeaderRows } from "../editor/HeaderRows.tsx"
import { named } from "../editor/Preview.ts"
import { hiddenValue } from "../editor/Secrets.ts"
import { StoredInput } from "../editor/StoredInput.tsx"
import { t } from "../language/Text.tsx"
import { useSession } from "../session/Session.ts"
import { TestResult } from "./SourceTest.tsx"
import {
  type DataSource,
  definitionOf,
  isSecret,
  type Login,
  newValues,
  type SourceValues,
  valuesOf,
} from "./SourceValues.ts"

type SourceDraft = Draft<SourceValues, DataSource>

const required = { required: true, withAsterisk: false, spellCheck: false, autoCapitalize: "none" }

/** The form of a data source, beside a test of what is entered. */
export const DataSourceForm = ({ edited }: { readonly edited: DataSource | undefined }) => {
  const { apiVersion } = useSession()
  const isNew = edited === undefined
  const draft = useDraft<SourceValues, DataSource>("DataSource", {
    newValues,
    valuesOf,
    definitionOf: (values) => definitionOf(values, apiVersion),
    edited,
    isSecret,
    ownIssues: duplicateAnnotations,
  })
  const { input } = draft
  return (
    <Editor
      draft={draft}
      submitLabel={isNew ? t("Create data source") : t("Save data source")}
      listHref="/data-sources"
      preview={<Test draft={draft} />}
    >
      {() => (
        <>
          <GeneralCard draft={draft} isNew={isNew} />
          <Card title={t("Server")}>
            <TextInput
              {...input("url", "spec.prometheus.url")}
              {...required}
              label={t("URL")}
              description={t("Where the paths of Prometheus's HTTP API begin, without /api/v1.")}
              placeholder="https://mimir.example.com/prometheus"
              inputMode="url"
            />
            <Group className={css.pair ?? ""} gap={14} align="flex-start">
              <TextInput
                {...input("tenant", "spec.prometheus.tenant")}
                label={t("Tenant")}
                description={t("Optional. Sent as X-Scope-OrgID.")}
              />
              <TextInput
                {...input("queryDelay", "spec.prometheus.queryDelay")}
                label={t("Query delay")}
                description={t("Default: 15s. Increase it if samples are stored late.")}
                placeholder="15s"
              />
            </Group>
          </Card>
          <LoginCard draft={draft} />
          <Card title={t("TLS")}>
            <Textarea
              {...input("ca", "spec.prometheus.tls.ca")}
              label={t("Certificate authorities")}
              description={t("Optional, in PEM. They replace the public ones.")}
              placeholder="-----BEGIN CERTIFICATE-----"
              rows={3}
            />
            <Textarea
              {...input("certificate", "spec.prometheus.tls.certificate")}
              label={t("Client certificate")}
              description={t("Optional, in PEM.")}
              placeholder="-----BEGIN CERTIFICATE-----"
              rows={3}
            />
            {draft.values.key === hiddenValue ? (
              <StoredInput
                id="key"
                label={t("Private key")}
                error={draft.errorOf("key", "spec.prometheus.tls.key")}
                replaceLabel={t("Replace private key")}
                onReplace={() => draft.set({ key: "" })}
              />
            ) : (
              <Textarea
                {...input("key", "spec.prometheus.tls.key", "spec.prometheus.tls")}
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
        </>
      )}
    </Editor>
  )
}

const LoginCard = ({ draft }: { readonly draft: SourceDraft }) => {
  const { values, set, input, errorOf } = draft
  const secret = (
    field: "password" | "token" | "clientSecret",
    path: string,
    label: string,
    replaceLabel: string,
  ) =>
    values[field] === hiddenValue ? (
      <StoredInput
        id={field}
        label={label}
        error={errorOf(field, path)}
        replaceLabel={replaceLabel}
        onReplace={() => set({ [field]: "" })}
      />
    ) : (
      <TextInput
        {...input(field, path)}
        {...required}
        label={label}
        type="password"
        autoComplete="new-password"
      />
    )
  return (
    <Card title={t("Login")}>
      <SegmentedControl
        aria-label={t("How to log in")}
        value={values.login}
        onChange={(login) => set({ login: login as Login })}
        data={[
          { value: "none", label: t("None") },
          { value: "basic", label: t("Basic") },
          { value: "bearer", label: t("Bearer") },
          { value: "oauth2", label: t("OAuth 2.0") },
        ]}
      />
      {values.login === "basic" && (
        <Group className={css.pair ?? ""} gap={14} align="flex-start">
          <TextInput
            {...input("username", "spec.prometheus.basic.username")}
            {...required}
            label={t("User name")}
            autoComplete="off"
          />
          {secret("password", "spec.prometheus.basic.password", t("Password"), t("Replace password"))}
        </Group>
      )}
      {values.login === "bearer" &&
        secret("token", "spec.prometheus.bearer.token", t("Token"), t("Replace token"))}
      {values.login === "oauth2" && (
        <>
          <TextInput
            {...input("tokenUrl", "spec.prometheus.oauth2.tokenUrl")}
            {...required}
            label={t("Token URL")}
            inputMode="url"
          />
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput
              {...input("clientId", "spec.prometheus.oauth2.clientId")}
              {...required}
              label={t("Client ID")}
              autoComplete="off"
            />
            {secret(
              "clientSecret",
              "spec.prometheus.oauth2.clientSecret",
              t("Client secret"),
              t("Replace client secret"),
            )}
          </Group>
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput
              {...input("scopes", "spec.prometheus.oauth2.scopes")}
              label={t("Scopes")}
              description={t("Optional. Separated by spaces.")}
            />
            <TextInput
              {...input("audience", "spec.prometheus.oauth2.audience")}
              label={t("Audience")}
              description={t("Optional.")}
            />
          </Group>
        </>
      )}
    </Card>
  )
}

/** Logs in with what is entered, before it is saved or has a name. */
const Test = ({ draft: { definition, report } }: { readonly draft: SourceDraft }) => {
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
      hint={t("Logs in to the server and evaluates vector(1). Nothing is stored.")}
      test={{ ...test, isIdle: result === undefined && !test.isPending && test.error === null }}
      onTest={() => test.mutate()}
    >
      {result !== undefined && <TestResult test={result} />}
    </TestCard>
  )
}
