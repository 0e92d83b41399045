/**
 * The publishing job of each platform, to copy, with the URL of this service and the name of the rule.
 * docs/ci.md and docs/ci/platforms.md show the same jobs; tests compare them and run their scripts. They are
 * not in the catalogue of words, because machines read them.
 */

interface Job {
  readonly url: string
  readonly rule: string
}

/** A placeholder that users cannot mistake for a URL of their own. */
const UPLOADS = 'https://uploads.example.com'

/**
 * The lines that every platform runs. They name the store, because snapcraft would otherwise send the credential to its
 * default store. `dollar`: the platform's spelling of a dollar sign.
 */
const publish = (
  { url, rule }: Job,
  indent: number,
  { dollar = '$', list = false, snap = 'hello.snap' } = {},
): string =>
  [
    `SNAPCRAFT_STORE_CREDENTIALS=${dollar}(sh ci/ratafia-login.sh -r ${rule})`,
    'export SNAPCRAFT_STORE_CREDENTIALS',
    `export STORE_DASHBOARD_URL=${url} UBUNTU_ONE_SSO_URL=${url}`,
    `export STORE_UPLOAD_URL=${UPLOADS}  # where your store takes uploads`,
    `snapcraft upload --release=latest/edge ${snap}`,
  ]
    .map((line) => `${' '.repeat(indent)}${list ? '- ' : ''}${line}`)
    .join('\n')

const PIPELINES: Readonly<Record<string, (job: Job) => string>> = {
  github: (job) => `publish:
  needs: build
  runs-on: ubuntu-latest
  environment: release
  permissions: { id-token: write, contents: read }
  steps:
    - uses: actions/checkout@v4
    - uses: actions/download-artifact@v4
      with: { name: snap }
    - run: |
        sudo snap install snapcraft --classic
${publish(job, 8)}
      env: { RATAFIA_URL: "${job.url}" }`,
  gitlab: (job) => `publish:
  needs: [build]
  environment: production
  id_tokens:
    RATAFIA_ID_TOKEN: { aud: "${job.url}" }
  script:
${publish(job, 4, { list: true })}
  variables: { RATAFIA_URL: "${job.url}" }`,
  forgejo: (job) => `publish:
  needs: build
  runs-on: docker
  enable-openid-connect: true
  steps:
    - uses: actions/checkout@v4
    - uses: https://data.forgejo.org/forgejo/download-artifact@v4
      with: { name: snap }
    - run: |
${publish(job, 8)}
      env: { RATAFIA_URL: "${job.url}" }`,
  circleci: (job) => `publish:
  docker: [{ image: "cimg/base:current" }]
  environment: { RATAFIA_URL: "${job.url}" }
  steps:
    - checkout
    - attach_workspace: { at: . }
    - run: |
${publish(job, 8)}`,
  buildkite: (job) => `- key: publish
  depends_on: build
  branches: main
  command: |
    buildkite-agent artifact download hello.snap .
${publish(job, 4, { dollar: '$$' })}
  env: { RATAFIA_URL: "${job.url}" }`,
  bitbucket: (job) => `- step:
    name: publish
    deployment: production
    oidc: { audiences: ["${job.url}"] }
    script:
      - export RATAFIA_URL=${job.url}
${publish(job, 6, { list: true })}`,
  'azure-devops': (job) => `- checkout: self
- script: |
    set -e
${publish(job, 4, { snap: '"$(Pipeline.Workspace)/snap/hello.snap"' })}
  env:
    RATAFIA_URL: ${job.url}
    SYSTEM_ACCESSTOKEN: $(System.AccessToken)`,
  google: (job) => `steps:
  - name: ubuntu
    script: |
      set -e
${publish(job, 6)}
    env: ["RATAFIA_URL=${job.url}"]`,
  jenkins: (job) => `stage('publish') {
  when { branch 'main' }
  environment { RATAFIA_URL = '${job.url}' }
  steps {
    withCredentials([string(credentialsId: 'ratafia', variable: 'RATAFIA_ID_TOKEN')]) {
      sh '''
        set +x
${publish(job, 8)}
      '''
    }
  }
}`,
  kubernetes: (job) => `spec:
  serviceAccountName: publisher
  containers:
    - name: publish
      image: registry.example.com/publish-hello
      command: [sh, -ec]
      args:
        - |
${publish(job, 10)}
      env: [{ name: RATAFIA_URL, value: "${job.url}" }]
      volumeMounts: [{ name: id-token, mountPath: /var/run/secrets/ratafia }]
  volumes:
    - name: id-token
      projected:
        sources:
          - serviceAccountToken: { path: token, audience: "${job.url}", expirationSeconds: 600 }`,
}

/** The lines for a platform without a job of its own, for a job that has an ID token in a variable. */
const anyJob = (job: Job): string => `export RATAFIA_URL=${job.url} RATAFIA_ID_TOKEN="$ID_TOKEN"
${publish(job, 0)}`

/** The platforms with a job of their own here. */
export const PLATFORMS: readonly string[] = Object.keys(PIPELINES)

export const pipelineOf = (kind: string, job: Job): string =>
  (Object.hasOwn(PIPELINES, kind) ? PIPELINES[kind] : undefined)?.(job) ?? anyJob(job)
