#!/bin/sh
# Writes the secrets of compose.yaml to .env in the current directory. Existing ones are kept.
set -eu
if [ -e .env ]; then
  echo ".env already exists and is kept: it has the master key and the password of your database. Delete it only together with the volume postgres." >&2
  exit 1
fi
umask 077
cat >.env <<SECRETS
# Back up TOCSIN_MASTER_KEY in another place than the database. Without it, stored secrets are lost.
TOCSIN_MASTER_KEY=$(openssl rand -base64 32)
# Of the client ID admin in the organization default.
TOCSIN_CLIENT_SECRET=$(openssl rand -base64 32)
POSTGRES_PASSWORD=$(openssl rand -hex 24)
# Of the user admin, in the profile monitoring.
GRAFANA_ADMIN_PASSWORD=$(openssl rand -hex 24)
SECRETS
echo "Wrote .env" >&2
