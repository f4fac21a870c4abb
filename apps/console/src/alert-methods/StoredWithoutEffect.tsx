import { api } from "../api/Queries.ts"
import { t } from "../language/Text.tsx"

/** The objects of public clients that are stored without effect, with the reasons; nothing without such objects. */
export const StoredWithoutEffect = () => {
  const { data } = api.useQuery("get", "/api/unsupported", { params: { header: { project: "*" } } })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section className="card">
      <h2>{t("Stored without effect")}</h2>
      <ul>
        {data.data.map(({ kind, project = "", name, reason }) => (
          <li key={`${kind}/${project}/${name}`}>
            {kind} {project === "" ? name : `${project} / ${name}`}
            <div className="dim small">{reason}</div>
          </li>
        ))}
      </ul>
      {data.hasMore && <p className="dim">{t("There are more; the API lists them by kind.")}</p>}
    </section>
  )
}
