{{- define "ratafia.name" -}}
{{- if contains "ratafia" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-ratafia{{ end }}
{{- end }}

{{- define "ratafia.selector" -}}
app.kubernetes.io/name: ratafia
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "ratafia.labels" -}}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
app.kubernetes.io/name: ratafia
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "ratafia.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{ .Values.image.repository }}:{{ $tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}
{{- end }}

{{/* What the server and the Job have in common. The argument has the root as `root`, and `secret`, a Secret's name. */}}
{{- define "ratafia.pod" -}}
automountServiceAccountToken: false
# Kubernetes would set RATAFIA_PORT and others, which the program refuses.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir:
      sizeLimit: 64Mi
  - name: secrets
    secret:
      secretName: {{ .secret }}
      defaultMode: 0440
{{- end }}

{{- define "ratafia.container" -}}
image: {{ include "ratafia.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  - name: secrets
    mountPath: /run/secrets/ratafia
    readOnly: true
{{- with .Values.resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "ratafia.env" -}}
- name: RATAFIA_BASE_URL
  value: {{ .Values.baseUrl | quote }}
- name: RATAFIA_DATABASE_URL_FILE
  value: /run/secrets/ratafia/database-url
- name: RATAFIA_SECRET_KEY_FILE
  value: /run/secrets/ratafia/secret-key
- name: RATAFIA_PREVIOUS_SECRET_KEY_FILE
  value: /run/secrets/ratafia/previous-secret-key
{{- end }}
