import type { ReactNode } from "react"

const icon = (children: ReactNode) => (
  <svg
    width="1.15em"
    height="1.15em"
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.7"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
)

// Every icon has text beside it with the same meaning.

export const Bell = () => (
  <svg width="32" height="32" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <rect width="32" height="32" rx="8" fill="#3b4cca" />
    <path
      d="M16 6.500a1.600 1.600 0 0 1 1.600 1.600v.6c3 .8 4.900 3.400 4.900 6.700v3.300l1.800 2.700c.4.6 0 1.400-.8 1.400h-15c-.8 0-1.200-.8-.8-1.400l1.800-2.700v-3.300c0-3.300 1.900-5.900 4.900-6.700v-.6A1.600 1.600 0 0 1 16 6.500Z"
      fill="#fff"
    />
    <path d="M13.200 24.400h5.600a2.800 2.600 0 0 1-5.600 0Z" fill="#ffd166" />
  </svg>
)

export const Gauge = () => icon(<path d="M3 14a7 7 0 1 1 14 0M10 14l3.500-4.500M10 14h.01" />)
export const Siren = () =>
  icon(
    <path d="M10 3.500c2.800 0 4.500 2 4.500 4.800v3l1.500 2.700H4l1.500-2.700v-3c0-2.800 1.700-4.800 4.500-4.800ZM8.300 16.500h3.400" />,
  )
export const Send = () => icon(<path d="m3 9.500 14-6-5 13.500-2.800-5.700L3 9.500Zm6.200 1.800L17 3.500" />)
export const Hook = () =>
  icon(
    <path d="M8 7.500a3 3 0 1 1 3.400 3L9.500 14M12 12.500h2.500a2.500 2.500 0 1 1-2.300 3.500M6.500 10a3.200 3.200 0 1 0 2.900 5h4" />,
  )
export const Database = () =>
  icon(
    <path d="M4 5.500c0-1.400 2.700-2.500 6-2.500s6 1.100 6 2.500-2.700 2.500-6 2.500-6-1.100-6-2.500Zm0 0v9c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500v-9M4 10c0 1.400 2.700 2.500 6 2.500s6-1.100 6-2.500" />,
  )
export const Key = () =>
  icon(
    <path d="M8.500 11.500 16.500 3.500M14 6l2 2M11.500 8.500l1.500 1.500M9 13.500a3 3 0 1 1-6 0 3 3 0 0 1 6 0Z" />,
  )
export const Check = () => icon(<path d="m4.500 10.500 3.700 3.700 7.300-8" />)
export const Cross = () => icon(<path d="m5.500 5.500 9 9m0-9-9 9" />)
export const Warning = () => icon(<path d="M10 3.500 18 16.500H2L10 3.500Zm0 5v3.500m0 2.200v.1" />)
export const Off = () =>
  icon(<path d="M16.500 10a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0ZM5.500 5.500l9 9" />)
export const Pause = () => icon(<path d="M7.500 5v10M12.500 5v10" strokeWidth="2.400" />)
export const Clock = () =>
  icon(<path d="M16.500 10a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0ZM10 6.500V10l2.500 1.500" />)
export const ArrowRight = () => icon(<path d="M4 10h12m-4.500-4.500L16 10l-4.500 4.500" />)
export const Sun = () =>
  icon(
    <path d="M13 10a3 3 0 1 1-6 0 3 3 0 0 1 6 0ZM10 2.500v1.500m0 12v1.500M2.500 10H4m12 0h1.500M4.700 4.700l1 1m8.600 8.600 1 1m0-10.600-1 1m-8.600 8.600-1 1" />,
  )
export const Moon = () =>
  icon(<path d="M16.500 11.500A6.500 6.500 0 1 1 8.500 3.500a5.200 5.200 0 0 0 8 8Z" />)
export const Exit = () =>
  icon(<path d="M12 3.500H5a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h7M8.500 10H17m-3-3 3 3-3 3" />)
export const Plus = () => icon(<path d="M10 4v12M4 10h12" />)
export const ChevronLeft = () => icon(<path d="m12 4.500-5.500 5.500 5.500 5.500" />)
