/** The purpose of each sealed value: its place in the database. A change of the secret key must know all of these. */

export const rootKeyPurpose = (id: number): string => `root-key:${id}`

export const keyPairSealingPurpose = ({ id, purpose }: { id: number; purpose: string }): string =>
  `key-pair:${purpose}:${id}`

/** For a brand's private key. */
export const signingKeyPurpose = (keyId: string): string => `signing-key:${keyId}`

/** For the secret of a second factor. */
export const secondFactorPurpose = (id: string): string => `second-factor:${id}`

export const SEAL_CHECK_PURPOSE = 'seal-check'

/** Not in the database: for the seal of a backup's file. */
export const BACKUP_PURPOSE = 'backup'
