import { Button } from "@mantine/core"
import { Link } from "wouter"
import { useDocuments } from "../api/Definitions.ts"
import { QueryError } from "../components/ErrorNotice.tsx"
import { shownName } from "../components/ObjectName.ts"
import { Card } from "../components/Page.tsx"
import { DefinitionPage } from "../history/DefinitionPage.tsx"
import { t } from "../language/Text.tsx"
import { useIsAdmin, useIsEditor } from "../session/Session.ts"
import { Subscriptions } from "./Subscriptions.tsx"

/** A project: its services, and its definition. */
const ProjectPage = ({ name }: { readonly name: string }) => {
  const isEditor = useIsEditor()
  const isAdmin = useIsAdmin()
  const query = useDocuments("projects", { name })
  const services = useDocuments("services", { project: name })
  const project = query.data?.[0]
  return (
    <DefinitionPage
      kind="projects"
      name={name}
      query={query}
      definition={project}
      links={
        <>
          <Button component={Link} href={`/slos?project=${name}`} variant="default">
            {t("View SLOs")}
          </Button>
          {project?.spec?.statusPage !== undefined && (
            <Button
              component="a"
              href={`/status/${project.spec.statusPage.slug}`}
              target="_blank"
              rel="noreferrer"
              variant="default"
            >
              {t("View status page")}
            </Button>
          )}
        </>
      }
      deleteText={t("A project that owns definitions cannot be deleted.")}
    >
      {project?.spec?.description !== undefined && <p className="description">{project.spec.description}</p>}
      {project !== undefined && (
        <Card title={t("Services")}>
          <QueryError query={services} />
          {services.data?.length === 0 && (
            <p className="dim">
              {t("No services yet.")}{" "}
              {isEditor && <Link href={`/services/new?project=${name}`}>{t("Create service")}</Link>}
            </p>
          )}
          <ul aria-label={t("Services")}>
            {services.data?.map(({ metadata }) => (
              <li key={metadata.name}>
                <Link href={`/services/${metadata.project}/${metadata.name}`}>
                  <bdi>{shownName(metadata)}</bdi>
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {isAdmin && project?.spec?.statusPage !== undefined && <Subscriptions project={name} />}
    </DefinitionPage>
  )
}
export default ProjectPage
