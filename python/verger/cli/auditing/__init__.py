"""What `verger audit` is made of."""
