import { t } from "../language/Text.tsx"
import css from "./ChartTable.module.css"

/** Values by their names. */
type Reading = ReadonlyArray<readonly [name: string, value: string]>

/** The data of a chart as a table. */
export const ChartTable = ({
  label,
  head,
  rows,
}: {
  /** The name of the chart. */
  readonly label: string
  /** The heading of the first column. */
  readonly head: string
  readonly rows: ReadonlyArray<{ readonly name: string; readonly values: Reading }>
}) => {
  const columns = [...new Set(rows.flatMap(({ values }) => values.map(([name]) => name)))]
  return (
    <div className={css.table} tabIndex={0} role="region" aria-label={t("{chart} (table)", { chart: label })}>
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            {columns.map((name) => (
              <th key={name} scope="col" className="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values }) => {
            const byName = new Map(values)
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                {columns.map((column) => (
                  <td key={column} className="number">
                    {byName.get(column)}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
