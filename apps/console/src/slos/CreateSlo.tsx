import { Button } from "@mantine/core"
import { Link } from "wouter"
import { CreateLink } from "../components/CreateLink.tsx"
import { t } from "../language/Text.tsx"
import { useIsEditor } from "../session/Session.ts"

/** The ways to new SLOs, for the list; viewers have none. */
export const CreateSlo = () =>
  useIsEditor() && (
    <>
      <Button component={Link} href="/slos/import" variant="default">
        {t("Import SLOs")}
      </Button>
      <CreateLink href="/slos/new" label={t("Create SLO")} />
    </>
  )
