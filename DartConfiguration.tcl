BuildDirectory: /tmp/x1
