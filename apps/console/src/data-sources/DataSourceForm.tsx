import {
  ActionIcon,
  Button,
  Fieldset,
  Group,
  Input,
  SegmentedControl,
  Stack,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core"
import { customHeadersMax } from "@tocsin/domain/internal/alert-method/CustomHeaderLimits"
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useState } from "react"
import { useLocation } from "wouter"
import css from "../alert-methods/AlertMethodForm.module.css"
import { focusLater } from "../alert-methods/FormContext.ts"
import { StoredInput } from "../alert-methods/FormRows.tsx"
import { hiddenValue } from "../alert-methods/FormValues.ts"
import { bodyOf, client, type ErrorItem, type Schemas } from "../api/Client.ts"
import { issuesOr } from "../api/Issues.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Cross, Plus } from "../components/Icon.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { useSession } from "../session/Session.ts"
import { TestResult } from "./SourceTest.tsx"
import {
  type DataSource,
  definitionOf,
  emptyValues,
  type HeaderRow,
  headerRow,
  issuesOf,
  type Login,
  type SourceIssue,
  type TextField,
  valuesOf,
} from "./SourceValues.ts"

/** The form of a data source, beside a test of what is entered. */
export const DataSourceForm = ({ edited }: { readonly edited?: DataSource }) => {
  const { apiVersion } = useSession()
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const [values, setValues] = useState(() => (edited === undefined ? emptyValues : valuesOf(edited)))
  const [issues, setIssues] = useState<ReadonlyArray<SourceIssue>>([])
  const [test, setTest] = useState<Schemas["DataSourceTest"] | undefined>()
  const [running, setRunning] = useState<"test" | "save" | undefined>()
  const [failure, setFailure] = useState<{ readonly of: "test" | "save"; readonly error: unknown }>()
  const { texts, login, headers } = values
  const definition = definitionOf(values, apiVersion, edited)

  const show = (found: ReadonlyArray<SourceIssue>): void => {
    setIssues(found)
    const field = found.find((issue) => issue.field !== undefined)?.field
    if (field !== undefined) focusLater(field)
  }
  const run = async (what: "test" | "save", action: () => Promise<void>): Promise<void> => {
    setRunning(what)
    setFailure(undefined)
    setTest(undefined)
    setIssues([])
    try {
      await action()
    } catch (error) {
      setFailure({ of: what, error })
    }
    setRunning(undefined)
  }
  const runTest = () =>
    run("test", async () => {
      // It can be tested before it has a name.
      const { metadata } = definition
      const body = { definition: { ...definition, metadata: { ...metadata, name: metadata.name || "new" } } }
      const result = await issuesOr(bodyOf(client.POST("/api/datasources/test", { body })))
      if ("errors" in result) show(issuesOf(result.errors))
      else setTest(result)
    })
  const save = () =>
    run("save", async () => {
      const query = { dry_run: "true" } as const
      const checked = await issuesOr(
        bodyOf(client.PUT("/api/apply", { params: { query }, body: definition })),
      )
      if ("errors" in checked) return show(issuesOf(checked.errors as ReadonlyArray<ErrorItem>))
      if (edited === undefined && checked.data[0]?.outcome !== "created") return show([nameTaken])
      await client.PUT("/api/apply", { body: definition })
      await queryClient.invalidateQueries()
      navigate(`/data-sources/${definition.metadata.project}/${definition.metadata.name}`)
    })

  const errorOf = (field: TextField | "headers"): string | undefined => {
    const messages = issues.filter((issue) => issue.field === field).map(({ message }) => message)
    return messages.length === 0 ? undefined : messages.join(" ")
  }
  const setText = (field: TextField, value: string): void => {
    setIssues(issues.filter((issue) => issue.field !== field))
    setTest(undefined)
    setValues({ ...values, texts: { ...texts, [field]: value } })
  }
  const input = (field: TextField) => ({
    id: field,
    value: texts[field],
    error: errorOf(field),
    spellCheck: false,
    autoCapitalize: "none",
    onChange: ({ currentTarget: { value } }: { readonly currentTarget: { readonly value: string } }) =>
      setText(field, value),
  })
  const required = { required: true, withAsterisk: false }
  const secret = (field: TextField, label: string) =>
    texts[field] === hiddenValue ? (
      <StoredInput
        id={field}
        label={label}
        error={errorOf(field)}
        replaceLabel={`Replace ${label.toLowerCase()}`}
        onReplace={() => setText(field, "")}
      />
    ) : (
      <TextInput {...input(field)} {...required} label={label} type="password" autoComplete="new-password" />
    )
  const setHeaders = (next: ReadonlyArray<HeaderRow>): void => {
    setIssues(issues.filter((issue) => issue.field !== "headers"))
    setTest(undefined)
    setValues({ ...values, headers: next })
  }

  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void save()
      }}
      noValidate
      className={css.columns}
    >
      <Stack gap={20}>
        <Card title="General">
          <TextInput {...input("displayName")} label="Display name" description="Optional." />
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput {...input("name")} {...required} label="Name" readOnly={edited !== undefined} />
            <TextInput {...input("project")} label="Project" readOnly={edited !== undefined} />
          </Group>
          <Textarea {...input("description")} label="Description" rows={2} />
        </Card>
        <Card title="Server">
          <TextInput
            {...input("url")}
            {...required}
            label="URL"
            description="Where the paths of Prometheus's HTTP API begin, without /api/v1."
            placeholder="https://mimir.example.com/prometheus"
            inputMode="url"
          />
          <Group className={css.pair ?? ""} gap={14} align="flex-start">
            <TextInput {...input("tenant")} label="Tenant" description="Optional. Sent as X-Scope-OrgID." />
            <TextInput
              {...input("queryDelay")}
              label="Query delay"
              description="Default: 15s. Longer if samples are stored late."
              placeholder="15s"
            />
          </Group>
        </Card>
        <Card title="Login">
          <SegmentedControl
            aria-label="How to log in"
            value={login}
            onChange={(value) => {
              setTest(undefined)
              setValues({ ...values, login: value as Login })
            }}
            data={[
              { value: "none", label: "None" },
              { value: "basic", label: "Basic" },
              { value: "bearer", label: "Bearer" },
              { value: "oauth2", label: "OAuth 2.0" },
            ]}
          />
          {login === "basic" && (
            <Group className={css.pair ?? ""} gap={14} align="flex-start">
              <TextInput {...input("username")} {...required} label="User name" autoComplete="off" />
              {secret("password", "Password")}
            </Group>
          )}
          {login === "bearer" && secret("token", "Token")}
          {login === "oauth2" && (
            <>
              <TextInput {...input("tokenUrl")} {...required} label="Token URL" inputMode="url" />
              <Group className={css.pair ?? ""} gap={14} align="flex-start">
                <TextInput {...input("clientId")} {...required} label="Client ID" autoComplete="off" />
                {secret("clientSecret", "Client secret")}
              </Group>
              <Group className={css.pair ?? ""} gap={14} align="flex-start">
                <TextInput {...input("scopes")} label="Scopes" description="Optional. Separated by spaces." />
                <TextInput {...input("audience")} label="Audience" description="Optional." />
              </Group>
            </>
          )}
        </Card>
        <Card title="TLS">
          <Textarea
            {...input("ca")}
            label="Certificate authorities"
            description="Optional, in PEM. They replace the public ones."
            placeholder="-----BEGIN CERTIFICATE-----"
            rows={3}
          />
          <Textarea
            {...input("certificate")}
            label="Client certificate"
            description="Optional, in PEM."
            placeholder="-----BEGIN CERTIFICATE-----"
            rows={3}
          />
          {texts.key === hiddenValue ? (
            secret("key", "Private key")
          ) : (
            <Textarea
              {...input("key")}
              label="Private key"
              description="Of the client certificate, in PEM, without a passphrase."
              placeholder="-----BEGIN PRIVATE KEY-----"
              rows={3}
            />
          )}
        </Card>
        <Card title="Headers">
          <Headers headers={headers} error={errorOf("headers")} onChange={setHeaders} />
        </Card>
        {issues
          .filter(({ field }) => field === undefined)
          .map(({ message }) => (
            <Notice key={message} kind="bad" role="alert">
              {message}
            </Notice>
          ))}
        {failure?.of === "save" && <ErrorNotice error={failure.error} />}
        <Group gap={10} className={css.save ?? ""}>
          <Button type="submit" loading={running === "save"}>
            {edited === undefined ? "Create data source" : "Save data source"}
          </Button>
          <Button
            variant="default"
            onClick={() =>
              navigate(
                edited === undefined
                  ? "/data-sources"
                  : `/data-sources/${edited.metadata.project}/${edited.metadata.name}`,
              )
            }
          >
            Cancel
          </Button>
        </Group>
      </Stack>
      <Stack gap={20} className={css.preview ?? ""}>
        <Card
          title="Test"
          aside={
            <Button variant="light" loading={running === "test"} onClick={() => void runTest()}>
              Test connection
            </Button>
          }
        >
          <Stack gap={14} aria-live="polite">
            {test === undefined && failure?.of !== "test" && (
              <p className="dim">Logs in to the server and evaluates vector(1). Nothing is stored.</p>
            )}
            {failure?.of === "test" && <ErrorNotice error={failure.error} />}
            {test !== undefined && <TestResult test={test} />}
          </Stack>
        </Card>
      </Stack>
    </form>
  )
}

const nameTaken: SourceIssue = {
  field: "name",
  message: "Is already the name of a data source in this project.",
}

const Headers = ({
  headers,
  error,
  onChange,
}: {
  readonly headers: ReadonlyArray<HeaderRow>
  readonly error: string | undefined
  readonly onChange: (headers: ReadonlyArray<HeaderRow>) => void
}) => {
  const change = (id: number, part: Partial<HeaderRow>): void =>
    onChange(headers.map((header) => (header.id === id ? { ...header, ...part } : header)))
  return (
    <Fieldset variant="unstyled" legend="Headers of every query" id="headers" tabIndex={-1}>
      {headers.map(({ id, name, value, isSecret }, at) => {
        const label = `Value of header ${at + 1}`
        return (
          <div key={id} className={`${css.row} ${css["headers"]}`}>
            <TextInput
              id={`headers.${id}.name`}
              aria-label={`Name of header ${at + 1}`}
              value={name}
              placeholder="THANOS-TENANT"
              spellCheck={false}
              onChange={(event) => change(id, { name: event.currentTarget.value })}
            />
            {value === hiddenValue ? (
              <StoredInput
                id={`headers.${id}.value`}
                aria-label={`${label}, stored and hidden`}
                replaceLabel={`Replace value of header ${at + 1}`}
                onReplace={() => change(id, { value: "" })}
              />
            ) : (
              <TextInput
                id={`headers.${id}.value`}
                aria-label={label}
                value={value}
                placeholder="shop"
                type={isSecret ? "password" : "text"}
                autoComplete={isSecret ? "new-password" : "off"}
                spellCheck={false}
                onChange={(event) => change(id, { value: event.currentTarget.value })}
              />
            )}
            <Switch
              pt={8}
              label="Secret"
              aria-label={`Header ${at + 1} is secret`}
              checked={isSecret}
              onChange={(event) => change(id, { isSecret: event.currentTarget.checked })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove header ${at + 1}`}
              onClick={() => onChange(headers.filter((header) => header.id !== id))}
            >
              <Cross />
            </ActionIcon>
          </div>
        )
      })}
      {error !== undefined && <Input.Error mb="xs">{error}</Input.Error>}
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<Plus />}
        disabled={headers.length >= customHeadersMax}
        onClick={() => {
          const added = headerRow({ name: "", value: "", isSecret: false })
          onChange([...headers, added])
          focusLater(`headers.${added.id}.name`)
        }}
      >
        Add header
      </Button>
    </Fieldset>
  )
}
