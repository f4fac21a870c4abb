import { Button, Group, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { useLocation } from "wouter"
import { useAgelessPage } from "../api/Connection.ts"
import css from "../components/Form.module.css"
import { ErrorNotice } from "../components/ErrorNotice.tsx"
import { Notice } from "../components/Notice.tsx"
import { objectName } from "../components/ObjectName.ts"
import { type Crumb, Page } from "../components/Page.tsx"
import { Warnings } from "../components/Warnings.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"
import type { Draft } from "./Draft.ts"
import { Conflicts } from "./Conflicts.tsx"
import { OtherIssues } from "./OtherIssues.tsx"
import { YamlCard } from "./YamlCard.tsx"

/** The page of a form, which viewers cannot use. */
export const EditorPage = ({
  title,
  subtitle,
  back,
  children,
}: {
  readonly title: string
  readonly subtitle?: ReactNode
  readonly back: Crumb | ReadonlyArray<Crumb>
  readonly children: ReactNode
}) => {
  useAgelessPage()
  return (
    <Page title={title} subtitle={subtitle} back={back}>
      {useIsEditor() ? (
        children
      ) : (
        <Notice kind="info">
          {t("Your role is viewer, which is read-only. Sign in as an editor to make changes.")}
        </Notice>
      )}
    </Page>
  )
}

/** The page of a form of something that is stored, which is called by its display name. */
export const EditPage = ({
  list,
  href,
  edited,
  displayName,
  children,
}: {
  readonly list: Crumb
  /** The page of what is edited. */
  readonly href: string
  readonly edited: { readonly project?: string; readonly name: string }
  readonly displayName: string | undefined
  readonly children: ReactNode
}) => {
  const { name, detail } = objectName(edited, displayName)
  const shown = detail === undefined ? edited.name : name
  return (
    <EditorPage
      title={t("Edit {name}", { name: shown })}
      subtitle={detail && <bdi>{detail}</bdi>}
      back={[list, { href, text: shown }]}
    >
      {children}
    </EditorPage>
  )
}

/** A form on the left; beside it previews of what is entered, and its definition as YAML. */
export const Editor = <D extends { readonly metadata: { readonly name: string } }>({
  draft,
  submitLabel,
  listHref,
  preview,
  children,
}: {
  readonly draft: Draft<D>
  readonly submitLabel: string
  /** Where a new definition is cancelled to. */
  readonly listHref: string
  readonly preview?: ReactNode
  /** The form. */
  readonly children: ReactNode
}) => {
  const [, navigate] = useLocation()
  const { yaml, issues } = draft
  return (
    <form onSubmit={draft.submit} noValidate className={css.columns}>
      <Stack gap="lg" miw={0}>
        {draft.restored !== undefined && (
          <Notice kind="info">
            <p>
              {draft.restored === "unchanged"
                ? t("Your unsaved changes were restored.")
                : t("Your unsaved changes were restored. What others have changed since is kept.")}
            </p>
            <Button variant="default" size="compact-sm" onClick={draft.discard}>
              {t("Discard changes")}
            </Button>
          </Notice>
        )}
        {yaml.problem !== undefined && (
          <Notice kind="info" role="status">
            {t("The form can’t show the current YAML. Fix the errors in the YAML to continue here.")}
          </Notice>
        )}
        <Stack
          gap="lg"
          miw={0}
          inert={yaml.problem !== undefined}
          opacity={yaml.problem === undefined ? 1 : 0.5}
        >
          {children}
        </Stack>
        {draft.isSubmitted && !yaml.isChanged && <OtherIssues draft={draft} hasPaths />}
        <Warnings
          warnings={draft.warnings}
          useOf={(warning) => (warning.suggestion === undefined ? undefined : () => draft.use(warning))}
        />
        <Conflicts conflict={draft.conflict} />
        <ErrorNotice error={draft.error} />
        <Group gap="xs" className={css.save ?? ""}>
          <Button type="submit" loading={draft.isSaving}>
            {submitLabel}
          </Button>
          <Button
            variant="default"
            onClick={() => {
              draft.forget()
              navigate(draft.page ?? listHref)
            }}
          >
            {t("Cancel")}
          </Button>
          <span className="dim small" role="status">
            {draft.isSubmitted &&
              issues.length > 0 &&
              t("{count, plural, one {Fix # error to continue.} other {Fix # errors to continue.}}", {
                count: issues.length,
              })}
          </span>
        </Group>
      </Stack>
      <Stack gap="lg" miw={0} className={css.preview ?? ""}>
        {preview}
        <YamlCard yaml={yaml} name={draft.definition.metadata.name} issues={issues} />
      </Stack>
    </form>
  )
}
