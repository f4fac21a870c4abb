import { Button, Group, Stack, Switch, Textarea, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { nameFromDisplayName } from "@tocsin/domain/internal/codec/NameFromDisplayName"
import { descriptionMaxCharacters } from "@tocsin/domain/internal/metadata/MetadataLimits"
import { type FormEvent, useEffect, useState } from "react"
import { useLocation } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { api } from "../api/Queries.ts"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { Card } from "../components/Page.tsx"
import { useSession } from "../session/Session.ts"
import { countText } from "../slos/NumberFormat.ts"
import css from "./AlertMethodForm.module.css"
import { checkOptions, type FormIssue, useFormCheck } from "./FormCheck.ts"
import { FormProvider, unsavedForms, useCloseConfirmation, useForm, useFormContext } from "./FormContext.ts"
import { AnnotationRows, HeaderRows, StoredInput } from "./FormRows.tsx"
import { defaultProject, definitionOf, type FormValues } from "./FormValues.ts"
import { NotificationDetails } from "./NotificationDetails.tsx"
import { NotificationPreview } from "./NotificationPreview.tsx"

interface FormProps {
  readonly formKey: string
  readonly initialValues: FormValues
  /** The alert method that is edited; absent for a new one. */
  readonly edited?: { readonly project: string; readonly name: string }
}

/** The form of an alert method beside a preview of its notifications. */
export const AlertMethodForm = (props: FormProps) => {
  const [resets, setResets] = useState(0)
  const discard = (): void => {
    unsavedForms.delete(props.formKey)
    setResets(resets + 1)
  }
  return <Form key={resets} {...props} onDiscard={discard} />
}

const Form = ({
  formKey,
  initialValues,
  edited,
  onDiscard,
}: FormProps & { readonly onDiscard: () => void }) => {
  const { apiVersion } = useSession()
  const [, navigate] = useLocation()
  const queryClient = useQueryClient()
  const isNew = edited === undefined
  const [unsaved] = useState(() => unsavedForms.get(formKey))
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [isChecking, setIsChecking] = useState(false)
  const [checkError, setCheckError] = useState<unknown>(null)

  const form = useForm({
    initialValues: unsaved?.values ?? initialValues,
    initialTouched: unsaved?.touched ?? {},
    // A field counts as touched when it was changed, not when it was focused.
    enhanceGetInputProps: ({ field }) => ({ id: field, error: errorOf(field), onFocus: undefined }),
  })
  const { values } = form
  const check = useFormCheck(values, apiVersion, isNew)
  const errorOf = (field: string): string | undefined => {
    if (!isSubmitted && !form.isTouched(field)) return undefined
    return (
      check.issues.flatMap((issue) => (issue.field === field ? [issue.message] : [])).join(" ") || undefined
    )
  }
  const otherIssues = check.issues.filter(({ field }) => field === undefined)

  const save = api.useMutation("put", "/api/apply", {
    onSuccess: () => {
      unsavedForms.delete(formKey)
      const { project, name } = definitionOf(values, apiVersion).metadata
      navigate(`/alert-methods/${project}/${name}`)
    },
  })
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setIsSubmitted(true)
    setIsChecking(true)
    setCheckError(null)
    save.reset()
    try {
      const { issues } = await queryClient.fetchQuery(checkOptions(values, apiVersion, isNew))
      if (issues.length > 0) focusFirst(issues)
      else save.mutate({ body: definitionOf(values, apiVersion) })
    } catch (error) {
      setCheckError(error)
    }
    setIsChecking(false)
  }

  useEffect(() => {
    if (form.isTouched()) unsavedForms.set(formKey, { values, touched: form.getTouched() })
    // Other renders must not restore what was just saved or discarded.
  }, [formKey, values])
  useCloseConfirmation()

  return (
    <FormProvider form={form}>
      <form onSubmit={submit} noValidate className={css.columns}>
        <Stack gap={20}>
          {unsaved !== undefined && (
            <Notice kind="info">
              <p>Your unsaved changes were restored.</p>
              <Button variant="default" size="compact-sm" onClick={onDiscard}>
                Discard changes
              </Button>
            </Notice>
          )}
          <Card title="General">
            <TextInput
              {...form.getInputProps("displayName")}
              label="Display name"
              placeholder="On call – payments"
              onChange={({ currentTarget: { value } }) => {
                const isDerived =
                  values.name === "" || values.name === nameFromDisplayName(values.displayName)
                if (isNew && isDerived) form.setFieldValue("name", nameFromDisplayName(value))
                form.setFieldValue("displayName", value)
              }}
            />
            <Group className={css.pair ?? ""} gap={14} align="flex-start">
              <TextInput
                {...form.getInputProps("name")}
                label="Name"
                description={
                  isNew ? "Derived from the display name. You can change it." : "Cannot be changed."
                }
                required
                withAsterisk={false}
                readOnly={!isNew}
                autoCapitalize="none"
                spellCheck={false}
              />
              <ProjectInput isReadOnly={!isNew} />
            </Group>
            <Textarea
              {...form.getInputProps("description")}
              label="Description"
              description={`What this alert method is for, and who maintains it. ${countText(Array.from(values.description).length)} of ${countText(descriptionMaxCharacters)} characters.`}
              rows={3}
            />
            <AnnotationRows />
          </Card>
          <Card title="Destination">
            <UrlInput />
            <HeaderRows />
          </Card>
          <Card title="Content">
            <NotificationDetails
              templateIssues={
                check.checkedTemplate === values.template
                  ? check.issues.filter(({ field, code }) => field === "template" && code !== "required")
                  : undefined
              }
            />
            <Switch
              {...form.getInputProps("sendResolution", { type: "checkbox" })}
              label="Notify when an alert is resolved"
              description="Sends the event alert.resolved."
            />
          </Card>
          {otherIssues.length > 0 && (
            <Notice kind="bad" role="alert">
              {otherIssues.map(({ message }, at) => (
                <p key={at}>{message}</p>
              ))}
            </Notice>
          )}
          <ErrorNotice error={checkError ?? save.error} />
          <Group gap={10} className={css.save ?? ""}>
            <Button type="submit" loading={isChecking || save.isPending}>
              {isNew ? "Create alert method" : "Save changes"}
            </Button>
            <Button
              variant="default"
              onClick={() => {
                unsavedForms.delete(formKey)
                navigate(isNew ? "/alert-methods" : `/alert-methods/${edited.project}/${edited.name}`)
              }}
            >
              Cancel
            </Button>
            <span className="dim small" role="status">
              {isSubmitted &&
                check.issues.length > 0 &&
                `Fix ${check.issues.length} ${check.issues.length === 1 ? "error" : "errors"} to continue.`}
            </span>
          </Group>
        </Stack>
        <NotificationPreview values={values} check={check} />
      </form>
    </FormProvider>
  )
}

const ProjectInput = ({ isReadOnly }: { readonly isReadOnly: boolean }) => {
  const form = useFormContext()
  const { data } = useDocuments("projects")
  return (
    <>
      <TextInput
        {...form.getInputProps("project")}
        label="Project"
        description={isReadOnly ? "Cannot be changed." : "The project of the alert method."}
        placeholder={defaultProject}
        list="projects"
        readOnly={isReadOnly}
        autoCapitalize="none"
        spellCheck={false}
      />
      <datalist id="projects">
        {data?.map(({ metadata }) => (
          <option key={metadata.name} value={metadata.name}>
            {metadata.displayName}
          </option>
        ))}
      </datalist>
    </>
  )
}

const UrlInput = () => {
  const form = useFormContext()
  const props = form.getInputProps("url")
  return form.values.isUrlKept ? (
    <StoredInput
      {...props}
      label="URL"
      description="Stored and hidden."
      replaceLabel="Replace URL"
      onReplace={() => form.setFieldValue("isUrlKept", false)}
    />
  ) : (
    <TextInput
      {...props}
      label="URL"
      description="Receives an HTTP POST for each notification. Must start with https://."
      placeholder="https://hooks.example.com/tocsin"
      type="url"
      required
      withAsterisk={false}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
    />
  )
}

/** Focuses the first field of the page that has an issue. */
const focusFirst = (issues: ReadonlyArray<FormIssue>): void => {
  const [element] = issues
    .flatMap(({ field = "" }) => document.getElementById(field) ?? [])
    .toSorted((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
  // The template editor is in a shadow root.
  const editor = element?.shadowRoot?.querySelector<HTMLElement>("[contenteditable]")
  ;(editor ?? element)?.focus()
  element?.scrollIntoView({ block: "center" })
}
