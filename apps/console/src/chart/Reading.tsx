import css from "./Reading.module.css"

/** The values of a place in a chart as text, which needs neither color nor sight. */
export const Reading = ({
  place,
  values,
  hint,
  isAnnounced = true,
}: {
  /** Absent: nothing is read. */
  readonly place: string | undefined
  readonly values: () => ReadonlyArray<readonly [name: string, value: string]>
  /** What it has while nothing is read. */
  readonly hint?: string | undefined
  readonly isAnnounced?: boolean
}) => (
  <div className={css.space}>
    <div className={css.reading} aria-live={isAnnounced ? "polite" : "off"}>
      {place === undefined ? (
        <span className="dim">{hint}</span>
      ) : (
        <>
          <strong>{place}</strong>
          {values().map(([name, value]) => (
            <span key={name}>
              <bdi className="dim">{name}</bdi> {value}
            </span>
          ))}
        </>
      )}
    </div>
  </div>
)
