/** Example strings that only programs read, recorded from a service that no longer exists. */

export const MACAROONS = {
  root: '{"c":[{"i":"time-before 2099-01-31T12:00:00.000000Z"},{"i":"time-since 2026-11-22T11:12:01.912000Z"},{"i":"session-id 6e1fbbc8-822e-4e9b-82ad-658c809ea295"},{"i64":"Av-ZA4Wz1MoztY-IDbzBGJd57f3pmCzEuQFTtZM6Pr0tz572GGiKvrtLrvOBGQWDQIodcKbzcJp-0e7qjzr7SyJ7ErS_SzWDn3y9XIGgfB-PgmW_vFcQmHmg7qrteImNWhvvscFAuEieruPk78WB2rnPgdveo_PbwQUjVBL-Mn4bOxLDkGX1c42NZuWf_dcAmWEgQZuKXPsj6kKrzYWXFPJYp-tMf5kPZDkuIiJ_iRQkfS8OlB2u-_RK6Z6KbJwpuF99J18p3XY1Pd02xra9BtPu_UPL3jsn6rbNjFgDXZ6mQVfifRsW1LfRoR7Bm4np00RM5NH9C3_Q9CgClAo9pqF13em0pP5_yJ8OO_q9Wo17PckdUHTCopUw1-9XZP0YFQsNtLB2mTU0I8B1zq5e6qV6urH6174zdWDvnNk9_T7PV2W9B6uB7FCZg9fiRdUOD-7G8_Bbt8tuWiIwCklY__DZfHl_6emibBNoDuAmABqaWMvK","v64":"rIhrvouRn7zIvP39rU9U_p9Ic8r2hc6VjJUkiKCbaEzVDNB2pcvteTPLuCZvZAdarZQG1hdcqt5VQXGTlor_914cOQFhrZzw","l":"http://127.0.0.1:40849/identity"},{"i":"extra {\\"channel\\": [\\"edge\\", \\"2.*/stable\\"], \\"package_id\\": [\\"hello-world\\"], \\"acl\\": [\\"package_access\\", \\"package_upload\\"], \\"store_ids\\": null}"}],"l":"127.0.0.1:40849","i64":"EQAAAAHg2-BHNz6-2Dq96361fy1HODVbgqTOWOFsYXB0b3A","s64":"BbrEA1XEAgT6n8q4A_aOxXeLP44S2yv0R3Oz7MymMWI"}',
  unlimitedRoot:
    '{"c":[{"i":"time-before 2027-11-22T11:12:02.098000Z"},{"i":"time-since 2026-11-22T11:12:02.098000Z"},{"i":"session-id 737d115c-e7d6-469f-b5c7-96f0b35a1625"},{"i64":"Av-ZA4Wz1MoztY-IDbzBGJd57f3pmCzEuQFTtZM6Pr0tz572GDvjegVrKx7VXgEdiNLfwrCer7jfSRl3wZKi_kIeNwvCK8KScGJhQnedzIJqrmwLfMjW1y_THoSMhfeYtsFcrcxBYbbNRmlWYw5xeYTIEKGtxs0LCBSni_Q2gomHFFgWJvh29NmSLpuap_SaOFA0p04cajUTzCJu7y67IKuvy5fmQ68hrcOpTu7Mt185icOmTzxfgKpjRh-7znlDrellICkf2lyBR7aUU3uWuEMlNabmRAlQ-pdTp2juIH5vT4uhXCQPnMDydwSkPnh_rDPAn-XEXrHggH_vOX9XGhU5TUJFWSfIDKal3dwMy7FC6_C8zy1MEgq5aNI0oFr_usue0dasb6dZYihPH9z6OCOsSfpl","v64":"xlzTtHY--G-3WKDRw9fpOHwKltMHV_cGbgoIN3Aoq7TTDYw6tn5fE7CyuGAfOt-9vDO_fXWZ_uWhRxqBqQ0kKaduErFikFzH","l":"http://127.0.0.1:40849/identity"},{"i":"extra {\\"channel\\": null, \\"package_id\\": null, \\"acl\\": null, \\"store_ids\\": null}"}],"l":"127.0.0.1:40849","i64":"EQAAAAEyuPcygg7MYCNIk-7H3sKVODVbgqTOWOE","s64":"tIaDGeFLEbq7O47qYs32RcyArt3GOifHvKscKXWLjSc"}',
  token:
    'AgEPMTI3LjAuMC4xOjQwODQ5AhUSAAAAAaWkjrWxKYjigap1FRyqHJIAAid0aW1lLWJlZm9yZSAyMDk5LTAxLTMxVDEyOjAwOjAwLjAwMDAwMFoAAiZ0aW1lLXNpbmNlIDIwMjYtMTEtMjJUMTE6MTI6MDQuMDg0MDAwWgACL3Nlc3Npb24taWQgZTJiZjcxMzktYzg4NS00NWQyLTk2MjctMmYyNThkYjAyZTA2AAIwZGVjbGFyZWQgdXNlcmlkIGdiTzlVRWVLcjV3RUFobVZ5bUhNMWJhR29yU3pld0luAAKIAWV4dHJhIHsiY2hhbm5lbCI6IFsiZWRnZSIsICIyLiovc3RhYmxlIl0sICJwYWNrYWdlX2lkIjogWyJoZWxsby13b3JsZCJdLCAiYWNsIjogWyJwYWNrYWdlX2FjY2VzcyIsICJwYWNrYWdlX3VwbG9hZCJdLCAic3RvcmVfaWRzIjogbnVsbH0AAAYgDBpQr_P40UpSHcRHdKN2uFif9Fis4mAWTql-eS-3ABs',
  discharge: {
    c: [
      { i: 'declared userid gbO9UEeKr5wEAhmVymHM1baGorSzewIn' },
      { i: 'declared login 1795342483336 0' },
      { i: 'time-before 2026-11-23T11:12:07.538000Z' },
    ],
    i64: 'Av-ZA4Wz1MoztY-IDbzBGJd57f3pmCzEuQFTtZM6Pr0tz572GDPxQ7iAK-iD4jq1f4d6D8ajkbLwKRWKa1ya1cHExpRCgVlPie-MH5adgkspQgXV8eichiGW_dG2GDln4HHDlhykVO3QR_cofG5vGSTIEPddngmQLJqdHY4RqJL5Wt9YsYNktA1vGG3ZQdTb-JjdzNrULBbQgl8sbupWpER0RZXvBkaYX_APhFLhD0Pr3JAT1O7s6iVILPoe68LsU1S_4iMCAAT0tL12nkZDHDXhVKzc0WVeq-tE8LI__7QJIUY6QHHiIVusQhdDEl5tqeM_Xv-55mXU53OmzNPGl-Ktinfsr4Ktodlc1VcrInDWFv47gbRXf0NXHnbvi9MaGWs9T0yWXtmGlDIov-Zlat7LAKeFPqtdnR5G8_u7P6FKtZ-FI0lOL90aPa_xTLqzi7SP59AovCuLBCWuqhT9dADadepPwtEAvyTsD8qxiCXHHlfY',
    s64: 'akEUUbWLSEErOQ8SF9aIWCv7pXUDTZGeqmLteBLo0dI',
  },
  agentLogin: {
    m: {
      c: [
        { i: 'time-before 2026-11-22T11:13:07.739000Z' },
        { i: 'agent ci /lm6vYn02n+KXXBtqkW/tL2Tl1UHyIkiP/W2ft+QETA=' },
        { i: 'for-caveat _tTR5LH2QqbbTGzLRl21WaD7vuc83G_tbblfUW1zXJE' },
        {
          i64: 'AwA',
          v64: 'D4NW83jr5HVWS7J1MWT0MA-SRAAw1dNf46VLVSFDG9izWghoKR-STujbG2STfaFwsVMsn66NN-f5UmWJNBasVEr4XLvOpWL0',
          l: 'local',
        },
      ],
      l: 'http://127.0.0.1:40849/identity',
      i64: 'EwAAAAFLIIeTbx-BAd_tP7p7CZ-5',
      s64: '2VAkteCn5T4jVF7zrZgLlcBy3WllwvGKjHcG95eMyvw',
    },
    v: 3,
    cdata: {
      AwA: 'A_5Zur3_mQOFs49EBZnKB2IL783jFwFMnYCLt-yadlFKnY_wK2a5dwCdrk2yBetW1780_AjSypZx4aL4RJ-CSM--H07-TZ56Hbme2a-6DOnWa_MdHj_PKNpTQh4i37mCaLG6hKIgyuaH1ZgRhAjOOA',
    },
    ns: 'std:',
  },
  session:
    'AgEPMTI3LjAuMC4xOjQwODQ5AhUUAAAAAfcG85COlR_TSGnYFW8bo4IAAhNicmFuZC1pZCBhY21lLWJyYW5kAAISbW9kZWwgYWNtZS1jbGFzc2ljAAIrc2VyaWFsIGZjNTYxZjVlLWNhMmEtNGZlZi1hMTU5LTI4M2FmNzA3YmUzMAACEHN0b3JlIGFjbWUtc3RvcmUAAlRkZXZpY2Uta2V5LXNoYTMtMzg0IHN2TS10MWUwWTRfNUVWdUVNMjdsWFZzb3c4bXFmMlg3cVU3NDF0OWhuVTdnbW03ZFJjY3ZxM3VCZmlSUjRJMUUAAiZ0aW1lLXNpbmNlIDIwMjYtMTEtMjJUMTE6MTI6MDUuNTA2MDAwWgACJ3RpbWUtYmVmb3JlIDIwMjYtMTEtMjNUMTE6MTI6MDUuNTA2MDAwWgACL3Nlc3Npb24taWQgMDFhMjAyZjQtYzU4Mi03NTZmLTllMDUtZTFhY2Q3NTc1ZGU3AAAGIBouXJMe1vi6qAsGX6h7G9rAHyp0cjt_w44F7k3C7r1M',
} as const

/** Sealed texts of the identity service. */
export const SEALED = {
  publicKey: '/5kDhbOPRAWZygdiC+/N4xcBTJ2Ai7fsmnZRSp2P8Cs=',
  caveat:
    'Av+ZA4Wz1MoztY+IDbzBGJd57f3pmCzEuQFTtZM6Pr0tz572GL+UkGvYK4U/vfKNqcP4hIxpI4GJ4dvvjEk46IywrdSZtpZTqHRxhM9yeGc/smyGRRarmssIUttu6vS3ABMwYTfp1IcG6LfplkIrJMmTchUlaQm8LVusPljQjgQopTFj6SZjszXtSXjAGosxogkY6dhk+nvN+HT8ZHCUCNJx5mM6h05sXhn0DdxiyAlWbfnRVYRyIjNwm7nehBMdZ7kR6VbjiMT7INsDJQcFkejD3ABKcJrF6ThThFnD/VArygj281cKVJ7PVTrtC3Bp4e8t5edlZbiSrsSH+FXXgBaJ8ee0ow0BLDeCB4yBob/XWjCdpoJdgW44f8DQyyJpw/D/0plK7PZ8JHdICu0OU9Z/hnRpH4jKE5qvf6KvmK43e5/Mo+Miw89UJ2Iiqj+LTYP3pfEcrsGOJ8nqQsLdLbpg/xPNW1NiHfu6JZkZ6+xMNLXd',
  did: 'AQAAAAEmioARUBR-9jqNrlFD1O4I81W-TlLwhAnlF_HCh-6cFHtxGyqLGxREErksczm-n1erwH16Ph7ElWU0vrLUpBWoEDaxmzf58M2GvMjeRp9Eqz4S8vaTrcklSUPQZ-vZ_QqUZdD7N393wzkDBtXoe6_5',
  token64:
    'QVFBQUFBRV81akpkZDFWVGZHcjZOaVFmRWpCVDF2MS1sZzlXRWx3dUFVOEFZUXRBUzZMc2E0cUhwYmVOcTZsRFBQZk5od0JpTFZhZlZUdVMzLW1lS182UlFDdFFpazlhcHVxYjlIaFhMNmlURmlEV2E3eERPMks2c01OeVhoR3ZEQ1JmM19MeVViX3JUSXFnaEQ0eWRLakZ3WTVsd3JWZTViMFZZUWNVWFJSN2ljTWZCVERqT01GVzU5dUstZzNBUld3akZ0LVd0ZktjdlN0bVk5Vjk5RnhsVUNSM0tCTlhsWGwwUWRBVlBnWm9mRmhkZTROS1BEZkNlVGdZSHJoc252TFQ=',
} as const

export const ONE_USE = {
  nonce: 'AQAAAAFL1KuOZ4Bd6UDLbofspojzFqSgLFPxsDp_aRf_Q7WX-0znIzDJdW8Z',
  requestId: 'AQAAAAE93VXl5OjVrNPH9f-YjoPGSYAVaolUDF5R-xoCiRBxvZ94tRRgaE2z',
} as const

export const ASSERTIONS = {
  serialRequest: `type: serial-request
brand-id: acme-brand
device-key:
    AcbATQRWhcGAAQgAtbkMHf5E5mVbBPCM8ZndCXO6IB4dCv0wCniMtxVLVVGZrvj88C1k7F0vxnlU
    2MDMdnIzzQyr2uWgCojLrxAtxgXYQ8Q5Hq2zWh+vCwxN0akmhYKmsg1uLraXGNcs0pv7o2kMXqz/
    dYfoFyrEkXWqZRumc6HX2shOnqUqyqlEa2QPIM2JpNOrSZWTte+Nik4fc48VBypDSbb7ba/W0WS8
    cgV14kGlGqh7fKPs4VqfJa/AjFIiDlB/B0fiNsV1q67r7KJWTG5RHOf4Y+2/u5+GXsdNtW3/h4ml
    FzOHP4aojN0b9RUhJSfb0LicbZKxT4grcjY42AZjSkL7ir8FhY4JpQARAQAB
model: acme-classic
request-id: AQAAAAGWr8e3tTBtwU7B5J1gqzkJWPtVrLagxRnzbxIPAh6dYBPANe0CKN-g
sign-key-sha3-384: svM-t1e0Y4_5EVuEM27lXVsow8mqf2X7qU741t9hnU7gmm7dRccvq3uBfiRR4I1E

AcLAUgQAAQoABgUCawLOBQAAKJAIAHtR0Ezzo1HYBgLujWGh5HzDxWnX3xaEPUmHIZI3hhj1N2KR
y/De8AF+QKmtw5o54qaLgtVYrr5nksRgkFj7DurABxzlWxpo/uI+xbEK0UIvmbrDa8q/LUOSZICo
Z//HGjG13hI1uenpWmXjaOHNL6yaanRTDUc2vPEBtP1WLwyVxPyrlHFVQX6C1FMLcu3tArDWJGkB
sV22QZzIXTc7JADP2BVUk2nV1AAMQHmxv71ZFLL+VHufObUmbcMaaR3La8sEUdsrLo03pe4kpz6J
uU3LD5Lky8Xm4fhsT33zVwiqI5P638S5gMlevEMannBHyvEpjKXvKSXpkfJwCDgoj/Y=
`,
  model: `type: model
authority-id: acme-brand
series: 16
brand-id: acme-brand
model: acme-classic
classic: true
serial-authority:
  - generic
store: acme-store
timestamp: 2020-01-01T00:00:00Z
sign-key-sha3-384: Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN

AcLBUgQAAQoABgUCawCsjAAAD3wQAGqKB9EGlMa31HT6AR9qG4s1u/uX+3gWfX5zmU5aBJ/72rbe
abnlojgJ+Fju+YUlySWx+zuli/mEnREsRSzxq4cClK/6yeiU0vomoM02fR1w0+cBwDxxSgceqFls
SyiL73xE+fXODdGERyixcBi2yPTJbjQzWpTmjm7QX2zrw4I8iGMfMi6Ud0nVQVC00eqydBX+ML3P
V6Z9eGGe8U+v+BkPk2NK1Rykh7ivZzKc7PPHkfB/eDm0rGtLa4hSJhm/cqNjxLT6ZbGKH3206NOi
F4Ak8HdtsizSJk7APaxP/tfK5F2HGx/UGBMR5rznvthtOWqzMGgrYJyKaHpKjg+lXlqxIme3HVT0
1Al4KztMn4Fn58UhzHxViv6OarsIRW7ZC+UC53vufqvGmsspx9EAvQkXSOUi0wVQFjn2x9kyl+ZZ
8AgH4n8b8g4+WXP9Guz/DD90Fp1b0xmdKse+Iv6CBVvRRJSL46UzjSMN8/TVQuRfgynvQ7vIPWWv
+ukr9kMGG1XRYqkCq8RpIwdK6p0jDARdZpeHvEm8cYzs3wzfFmve24iq/d8Pz1ykmGCzQyE7tMsz
dHXkoncEWk7Ry/3h7r+L0Q4Ud74z/xo4iZC3nY8om0pfwcxmx2wpcAghxTegrXdIODrhKhG9Uevs
aJ+IEZ0comQCWkKQHrsA9dqWjhQz
`,
  serial: `type: serial
authority-id: acme-brand
brand-id: acme-brand
model: acme-classic
serial: fc561f5e-ca2a-4fef-a159-283af707be30
device-key:
    AcbATQRWhcGAAQgAtbkMHf5E5mVbBPCM8ZndCXO6IB4dCv0wCniMtxVLVVGZrvj88C1k7F0vxnlU
    2MDMdnIzzQyr2uWgCojLrxAtxgXYQ8Q5Hq2zWh+vCwxN0akmhYKmsg1uLraXGNcs0pv7o2kMXqz/
    dYfoFyrEkXWqZRumc6HX2shOnqUqyqlEa2QPIM2JpNOrSZWTte+Nik4fc48VBypDSbb7ba/W0WS8
    cgV14kGlGqh7fKPs4VqfJa/AjFIiDlB/B0fiNsV1q67r7KJWTG5RHOf4Y+2/u5+GXsdNtW3/h4ml
    FzOHP4aojN0b9RUhJSfb0LicbZKxT4grcjY42AZjSkL7ir8FhY4JpQARAQAB
device-key-sha3-384: svM-t1e0Y4_5EVuEM27lXVsow8mqf2X7qU741t9hnU7gmm7dRccvq3uBfiRR4I1E
timestamp: 2026-11-22T11:12:05Z
sign-key-sha3-384: Zb7cWdrYyp4seYx_Qku2PFgkPMLY5bU1EgakZjTxRsE0FP00VzlYW1XPqX-jgMFN

AcLBUgQAAQoABgUCawLOBQAAYBwQACwwn38RezB0vDHEf0dNOB3NzxST3hBStGZDfuKImFJJLCG2
icoFP+vEgwt4CoNez240I/2HpaI0kXRtT4jENHFV9wEPro+kP7bwmvDteHzE/eIYBGp38CUNk/ph
LBE0+FkFIVYqEv82EdXtjgPO4kKmfSXD6j7PgvMmdcDkAq8f/fUNpTsNTTuITMPVA3wasYJkvzD2
7wcVzlOjlDNYeLl58mrByE6lps3yLeZObIOIJprLwqLelgBRjRMIw1I1f1Vtmh3ijaBc704NuFMK
X+N+cdlg2t8S/NSL2pgzlFeEsAm5vBi80sgAHbSCYg/h7AS6DXhZh0M2I9vmA6LExCdDs77vTOnu
gf4NED6tSWFQ4umkKwfzyi12vbMhJmu+U8h2UWvTE0jwJvdCNwureQpDExTRbLiA/dzQm4s/HXzV
esmWK3xoE1D1J8ceqG/CKEUE9EeX2u1Q3sTzmyEz65GjGzM6uFbXVL9ga7GqfePevB2Ju+G96Lgq
VbLMRf6vyqiz0rdDAXihDk/fPEa+YTRilpsZYi+UIHEyX0kOEY5IEKW9mv/k3kT8hL9xTF0nOvcP
VTOBs1Lv+cIhVzQ1Kw4XchjtUwkEANa+WcqB0Z4AVTyrn4sNCmrTV0dwpsSxE2z1yinMtUVP2aWd
WI2MWBbzNUDyQnFISxiJXycZ2Hw/
`,
  sessionRequest: `type: device-session-request
brand-id: acme-brand
model: acme-classic
serial: fc561f5e-ca2a-4fef-a159-283af707be30
nonce: AQAAAAEal9jBBCj-vWzwODey_o1j51i0S-k9w95HEzfCKiqZ9W5NyrEZ-Xcs
timestamp: 2026-11-22T11:12:05Z
sign-key-sha3-384: svM-t1e0Y4_5EVuEM27lXVsow8mqf2X7qU741t9hnU7gmm7dRccvq3uBfiRR4I1E

AcLAUgQAAQoABgUCawLOBQAAdc0IAJr7jRXlXViS0zcXTh+qyn8duhcHxKPcrL9dy+AIBhC7o48K
m5OsQ9SnY95srhmZRxcwNZ2Phi9yxJnO4TiIONyvLSBoAFG1jqbEZc+j4yWSTuH88DNMNxnOmUIw
73D/XrcjBOPlkkQutIfllu4W0ZQGlJOnUnRBWl2Cr1h8SNTb1cQzXgvjTH1NOIa0vndXNHsFEnv5
M88aoGfnwfufJvmh+fm7zjo5a6Y+eFOLOI4ZSDpRTheTSiVvjPAcTFPlnQzqNKHO9EqtaaXfEHG1
FgDSJa3dsrb836C8wWaZB9oY/QxML8MeqJbBWS6cI14jC0S4Ef1X6BR2P2HqQ1alBpU=
`,
  account: `type: account
authority-id: test-root
account-id: acme-brand
display-name: Acme-brand
timestamp: 2020-01-01T00:00:00Z
username: acme-brand
validation: unproven
sign-key-sha3-384: P0koYlYb_e1NN9QgbODODEvVwmDxcSARwpXxOGazoOHoL7qRgHE1jNUxS15OqiOY

AcLBUgQAAQoABgUCawCsjAAATgAQALVZ3APLM93Hm2tnSK8V0VrRv5HPsbQrl6A3O/0nlLOXxuIb
9i7/QfuHcahlTiQUx+E3pnJf0TgrWrKEAJvs4DsU3BJOFqfUgqfo881QDA6du/QujjBN+O3ZT7qK
Yc3vYy6nTFXpIhqWvnk3FvsQwxELI9izFKfwjW7Yn7KPf1YfbJMhqWz+H2rgwBEGOtnUJHSZBqGT
l53B3C8UkpBlzds/fLDxaoIajLqSxlKGhY0P+jGQuW4qzSGKRQmRMDnyIn694k/KnfFutmizUKw0
xDbq1hU5p5U6Jky3J+R/sBA3vKu50kabq8IIr+H6CLzce9+i6eh0WFwKH4nnyipW4ecI3Oys/OKT
gLf2/j89gHlrMx1r7C5zDwegUs9AGEupHJuNuI5nG799LoMookr4x5zgainFhoavY+tVI038ML9V
nuxdQb+ul/iz9kiavERui9JCGNHeEfpu5AcjZG7WkG2Bt34qJPr1CavsXjNxPWVCOd92zNMIY5Hw
rAzB/v/izIl9Qbxzs3nUSEuecmE/0mwE/2M0RS+vD1ISW44ZvCHYphqEgW68YLtNol2lPxDMjK4L
5j6sqRlneHk1V4i/dSb1ELQEcPpMOCFBk6X2cXft4Em5xG1AqzqSrv/LZxD6dg15sEKqSijljr/t
yve+ud35Sg/EXpMv7KFgeIiW5qMF
`,
} as const
