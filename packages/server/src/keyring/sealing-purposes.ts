/** The purpose of each sealed value: its place in the database. A change of the secret key must know all of them. */

export const rootKeyPurpose = (id: number): string => `root-key:${id}`

export const keyPairSealingPurpose = ({ id, purpose }: { id: number; purpose: string }): string =>
  `key-pair:${purpose}:${id}`

/** The purpose of a brand's private key. */
export const signingKeyPurpose = (keyId: string): string => `signing-key:${keyId}`

/** The purpose of a second factor's secret. */
export const secondFactorPurpose = (id: string): string => `second-factor:${id}`

export const SEAL_CHECK_PURPOSE = 'seal-check'

/** The purpose of a backup file's seal, which is not in the database. */
export const BACKUP_PURPOSE = 'backup'
